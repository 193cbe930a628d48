/** The models: what answers contain and requests send, with the C# types of their members. */

import { pascal } from '../../../console/src/requests/csharp/names.ts'
import { type Description, nameOf, type Operation, type Schema } from '../description.ts'
import { answersHeader, answersOf, isNullable, isOfSaves, methodName } from './description.ts'
import type { Enumerations } from './enumerations.ts'

export type Type =
  | { kind: 'text' | 'integer' | 'number' | 'boolean' | 'time' | 'duration' | 'object' | 'map' }
  | { kind: 'constant'; value: string }
  | { kind: 'enumeration' | 'model'; name: string }
  | { kind: 'list'; of: Type }

export interface Member {
  /** As the API has it. */
  name: string
  /** As the model has it. */
  property: string
  type: Type
  isRequired: boolean
  isNullable: boolean
  description: string | undefined
}

export interface Model {
  name: string
  description: string | undefined
  /** Who contains, answers or takes it. */
  uses: Set<string>
  members: Member[]
  /** Whether answers contain it. */
  isRead: boolean
  /** Whether requests contain it. */
  isWritten: boolean
  /** The abstract class of which a request sends one of several. */
  base: string | undefined
  /** Whether it is such an abstract class. */
  isAbstract: boolean
  /** The headers that become members. */
  headers: Set<string>
  /** Whether it is a page of a list that is paged by offset. */
  hasOffset: boolean
}

/**
 * The names of models: of schemas that have none, by schema and member, and of schemas with a member of their own name, which a class
 * can't have.
 */
const names: Record<string, string> = {
  DeletedCount: 'DeletedNotifications',
  MarkedCount: 'MarkedNotifications',
  Profiles: 'ProfileList',
  Verdict: 'SetVerdict',
  'AssetUrls.urls': 'AssetUrlResult',
  'DownloadUrls.urls': 'FileUrlResult',
  'BatchResults.results': 'BatchResult',
  'GetAssetUrls.items': 'AssetUrlRequest',
  'AssetUpdates.updates': 'AssetUpdateResult',
  'GetUpdates.items': 'PresentVersion',
}

type Direction = 'read' | 'written'

export interface Models {
  all: Map<string, Model>
  /** The type of a schema; `place` is the schema and member, or the operation and parameter, that has it. */
  typeOf: (schema: Schema, place: string, direction: Direction) => Type
  /** The model of the JSON that an operation answers. Several schemas become one model, as alternatives. */
  answerOf: (operation: Operation) => Type | undefined
  /** Adds the model of a schema that answers contain. */
  add: (name: string) => void
  /** The model of an operation's JSON; undefined when that has no members. */
  bodyOf: (operation: Operation) => Model | undefined
}

export function modelsOf(description: Description, enumerations: Enumerations): Models {
  const all = new Map<string, Model>()

  function typeOf(schema: Schema, place: string, direction: Direction): Type {
    const named = nameOf(schema) ?? place
    const {
      type,
      enum: values,
      anyOf,
      oneOf,
      allOf,
      items,
      properties,
      additionalProperties,
    } = description.followed(schema)
    if (anyOf) {
      const [first, second] = anyOf.filter((one) => !isNullable(one, description))
      // Data of the game's own, or of the service's: any object.
      if (!first || second) return { kind: 'object' }
      return typeOf(first, place, direction)
    }
    if (properties || oneOf || allOf) return { kind: 'model', name: model(schema, named, direction).name }
    if (items) return { kind: 'list', of: typeOf(items, place, direction) }
    const kind = [type].flat().find((one) => one !== 'null')
    if (kind === 'object')
      return {
        kind:
          typeof additionalProperties === 'object' && additionalProperties.type === 'string'
            ? 'map'
            : 'object',
      }
    if (values && kind === 'string') {
      const name = enumerations.named(named, values)
      return name === undefined ? { kind: 'text' } : { kind: 'enumeration', name }
    }
    if (kind === 'string') return { kind: 'text' }
    if (kind === 'integer' && /_(at|until)$/.test(place)) return { kind: 'time' }
    if (kind === 'integer' && place.endsWith('.expires_in')) return { kind: 'duration' }
    if (kind === 'integer' || kind === 'number' || kind === 'boolean') return { kind }
    throw new Error(`${place} has a type that the generator does not know: ${JSON.stringify(schema)}`)
  }

  function model(schema: Schema, place: string, direction: Direction): Model {
    const name = names[place] ?? place
    if (name.includes('.')) throw new Error(`Give the model of ${place} a name in ${import.meta.url}.`)
    const existing = all.get(name)
    if (existing?.[direction === 'read' ? 'isRead' : 'isWritten']) return existing
    const alternatives = description.followed(schema).oneOf ?? []
    const isAbstract = direction === 'written' && alternatives.length > 0
    const made: Model = existing ?? {
      name,
      description: description.followed(schema).description,
      uses: new Set(),
      members: [],
      isRead: false,
      isWritten: false,
      base: undefined,
      isAbstract,
      headers: new Set(),
      hasOffset: false,
    }
    made[direction === 'read' ? 'isRead' : 'isWritten'] = true
    all.set(name, made)
    if (isAbstract)
      for (const one of alternatives) {
        const alternative = model(one, nameOf(one) ?? place, direction)
        alternative.base = name
        alternative.uses.add(`One of <see cref="${name}"/>.`)
      }
    else made.members = membersOf(schema, name, direction)
    if (made.members.some(({ property }) => property === name))
      throw new Error(`A member of ${name} has its name: give the model another one in ${import.meta.url}.`)
    for (const { type } of made.members) use(type, `A part of <see cref="${name}"/>.`)
    return made
  }

  /** The members of a schema, with those of its `allOf`, and of each alternative of its `oneOf`. */
  function membersOf(schema: Schema, place: string, direction: Direction): Member[] {
    const owner = nameOf(schema) ?? place
    const { properties = {}, required = [], allOf = [], oneOf } = description.followed(schema)
    const own = Object.entries(properties).flatMap(([name, member]) =>
      memberOf(name, member, owner, required, direction),
    )
    const members = merged(allOf.flatMap((one) => membersOf(one, owner, direction)).concat(own))
    if (!oneOf) return members
    return members.concat(alternatives(oneOf.map((one) => membersOf(one, owner, direction))))
  }

  function memberOf(
    name: string,
    schema: Schema,
    owner: string,
    required: string[],
    direction: Direction,
  ): Member[] {
    const resolved = description.followed(schema)
    // Always null: nothing to read.
    if (resolved.type === 'null') return []
    const [only, ...others] = resolved.enum ?? []
    const isRequired = required.includes(name)
    const isConstant =
      direction === 'written' && isRequired && typeof only === 'string' && others.length === 0
    return [
      {
        name,
        property: pascal(name),
        type: isConstant ? { kind: 'constant', value: only } : typeOf(schema, `${owner}.${name}`, direction),
        isRequired,
        isNullable: isNullable(schema, description),
        description: schema.description ?? resolved.description,
      },
    ]
  }

  function use(type: Type | undefined, by: string) {
    if (type?.kind === 'list') use(type.of, by)
    if (type?.kind === 'model') all.get(type.name)?.uses.add(by)
  }

  return {
    all,
    typeOf,
    add(name) {
      model({ $ref: `#/components/schemas/${name}` }, name, 'read')
    },
    answerOf(operation) {
      const [first, ...others] = answersOf(operation)
      if (!first) return undefined
      const type = typeOf(first, operation.id, 'read')
      const answer = type.kind === 'model' ? all.get(type.name) : undefined
      const by = isOfSaves(operation) ? 'Saves' : `GameStorage.${methodName(operation)}`
      use(type, `Answered by <see cref="${by}"/>.`)
      if (!answer) return type
      for (const header of ['ETag', 'X-Inbox-Seq'])
        if (answersHeader(operation, header)) answer.headers.add(header)
      const different = others.filter((one) => nameOf(one) !== nameOf(first))
      if (different.length > 0)
        answer.members = alternatives([first, ...different].map((one) => membersOf(one, answer.name, 'read')))
      return type
    },
    bodyOf(operation) {
      if (!operation.body?.isJson) return undefined
      const { schema } = operation.body
      const { properties = {}, oneOf } = description.followed(schema)
      if (!oneOf && Object.keys(properties).length === 0) return undefined
      const body = model(schema, nameOf(schema) ?? operation.id, 'written')
      body.uses.add(`The body of <see cref="GameStorage.${methodName(operation)}"/>.`)
      return body
    },
  }
}

/** Members of which a later one replaces an earlier one of the same name. */
function merged(members: Member[]): Member[] {
  return [...new Map(members.map((member) => [member.name, member])).values()]
}

/** The members of alternatives: required where each alternative requires the member. */
function alternatives(each: Member[][]): Member[] {
  const all = each.flat()
  return merged(all).map((member) => {
    const same = all.filter(({ name }) => name === member.name)
    if (same.some(({ type }) => JSON.stringify(type) !== JSON.stringify(member.type)))
      throw new Error(`The alternatives of ${member.name} have different types.`)
    return {
      ...member,
      isRequired: same.length === each.length && same.every(({ isRequired }) => isRequired),
      isNullable: same.some(({ isNullable }) => isNullable),
      description: same.find(({ description }) => description)?.description,
    }
  })
}
