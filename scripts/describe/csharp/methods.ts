/** How each operation is called from C#. */
import type { Operation } from '../description.ts'
import { methodName, pagingOf } from './description.ts'
import type { Model, Models, Type } from './models.ts'
import type { QueryMember } from './queries.ts'

export interface PathParameter {
  name: string
  type: Type
}

/** How an operation is called from C#. */
export interface Method {
  operation: Operation
  name: string
  path: PathParameter[]
  body: Model | undefined
  query: QueryMember[]
  options: 'CreationOptions' | 'ChangeOptions' | undefined
  /** Whether it takes the ETag of what it replaces or changes. */
  takesMatch: boolean
  /** Whether it takes a reason for the audit. A client on behalf of a player has one for all its requests. */
  takesReason: boolean
  answer: Type | undefined
  /** The items of a page, when the operation answers a list. */
  items: { property: string; type: Type; paging: 'cursor' | 'offset' } | undefined
}

export function methodOf(operation: Operation, query: QueryMember[], models: Models): Method {
  const inHeader = (name: string) =>
    operation.parameters.some((one) => one.in === 'header' && one.name === name)
  const answer = models.answerOf(operation)
  const page = answer?.kind === 'model' ? models.all.get(answer.name) : undefined
  const paging = pagingOf(operation)
  const list = page?.members.find(({ type }) => type.kind === 'list')
  if (paging === 'offset' && page) page.hasOffset = true
  return {
    operation,
    name: methodName(operation),
    path: operation.parameters
      .filter((one) => one.in === 'path')
      .map(({ name, schema }) => ({
        name,
        type: models.typeOf(schema, `${operation.id}.${name}`, 'written'),
      })),
    body: models.bodyOf(operation),
    query,
    takesMatch: inHeader('If-Match'),
    takesReason: operation.scopes.length > 0 && inHeader('Audit-Reason'),
    options: inHeader('Idempotency-Key')
      ? 'CreationOptions'
      : inHeader('If-Match')
        ? 'ChangeOptions'
        : undefined,
    answer,
    items:
      paging && list?.type.kind === 'list'
        ? { property: list.property, type: list.type.of, paging }
        : undefined,
  }
}
