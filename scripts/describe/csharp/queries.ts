/** The classes of the parameters that an operation has in its query and its headers. */

import { pascal } from '../../../console/src/requests/csharp/names.ts'
import type { Description, Operation, Parameter } from '../description.ts'
import { isNullable, isOfSaves, methodName } from './description.ts'
import { memberType } from './model-source.ts'
import type { Member, Models } from './models.ts'
import { braced, element, spaced, summary } from './source.ts'

/** The headers that options set, the one that is a parameter of its own, and those that the client sends by itself. */
const byItself = ['Idempotency-Key', 'If-Match', 'Audit-Reason', 'On-Behalf-Of', 'X-D1-Bookmark']

export interface QueryMember extends Member {
  in: Parameter['in']
}

/** The parameters of the query and the headers of an operation. */
export function queryOf(operation: Operation, models: Models, description: Description): QueryMember[] {
  return operation.parameters
    .filter((parameter) => parameter.in !== 'path' && !byItself.includes(parameter.name))
    .map(({ in: place, name, required, schema, description: about }) => ({
      in: place,
      name,
      property: pascal(name),
      type: models.typeOf(schema, `${operation.id}.${name}`, 'written'),
      isRequired: required ?? false,
      isNullable: isNullable(schema, description),
      description: about ?? description.followed(schema).description,
    }))
}

export const queryName = ({ id }: Operation) => `${pascal(id)}Query`

export function querySource(operation: Operation, members: QueryMember[]): string[] {
  const properties = members.map((member) => [
    ...summary(member.description ?? `The parameter \`${member.name}\``),
    `public ${memberType(member)} ${member.property} { get; set; }`,
  ])
  return [
    ...element('summary', `The parameters of <see cref="GameStorage.${methodName(operation)}"/>.`),
    ...braced(
      `${isOfSaves(operation) ? '' : 'public '}sealed class ${queryName(operation)}`,
      spaced(properties),
    ),
  ]
}
