/** What the generator of the C# client asks of a description. */
import { pascal } from '../../../console/src/requests/csharp/names.ts'
import type { Description, Operation, Schema } from '../description.ts'

/** How an operation answers a list page by page; undefined for any other. */
export const pagingOf = ({ parameters }: Operation) =>
  (['cursor', 'offset'] as const).find((way) => parameters.some(({ name }) => name === way))

/** Whether an operation is a step of `GameStorage.Saves`, which never writes over what the player has not seen. */
export function isOfSaves({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/v1/saves')
}

/** The method of an operation. A list is awaited page by page, and its method is not. */
export const methodName = (operation: Operation) =>
  `${pascal(operation.id)}${pagingOf(operation) ? '' : 'Async'}`

/** Whether an operation sends content in place of JSON. */
export const sendsContent = ({ body }: Operation) => body !== undefined && !body.isJson

/** The answers of success. */
const successesOf = ({ answers }: Operation) => answers.filter(({ status }) => Number(status) < 300)

/** Whether an answer of success is content. */
export const answersContent = (operation: Operation) =>
  successesOf(operation).some(({ bytes }) => bytes !== undefined)

/** The schemas of the JSON that answers of success have. */
export const answersOf = (operation: Operation) =>
  successesOf(operation).flatMap(({ schema }) => schema ?? [])

/** Whether an answer of success has a header. */
export const answersHeader = (operation: Operation, header: string) =>
  successesOf(operation).some(({ headers }) => header in headers)

/** Whether null is a value. */
export function isNullable(schema: Schema, description: Description): boolean {
  const { type, anyOf = [] } = description.followed(schema)
  return [type].flat().includes('null') || anyOf.some((one) => isNullable(one, description))
}
