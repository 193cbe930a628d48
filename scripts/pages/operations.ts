import description from '../../docs/openapi.json' with { type: 'json' }
import type { Found } from '../../pages/find.ts'

/** An operation of the description, as far as the search of the guides has it. */
interface Operation {
  operationId?: string
  summary?: string
}

/** The operations as entries of the search index: they lead to the reference. */
export function operations(): Found[] {
  const paths: Record<string, Record<string, Operation>> = description.paths
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId = '', summary = '' }]) => ({
      address: `/docs#${operationId}`,
      title: 'Reference',
      heading: `${operationId}, ${method.toUpperCase()} ${path}`,
      text: summary,
      weight: 0.6,
    })),
  )
}
