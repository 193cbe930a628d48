import { useQuery } from '@tanstack/react-query'
import { type Operation, operationIn } from './operation.ts'
import type { RecordedRequest } from './recorded.ts'

/** The operation of a request; undefined while the description loads, and for a request that is not in it. */
export function useOperation(request: RecordedRequest): Operation | undefined {
  const { data } = useQuery({
    queryKey: ['description of the API'],
    queryFn: async (): Promise<unknown> => (await fetch('/openapi.json')).json(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return request.is_of_service ? operationIn(data, request) : undefined
}
