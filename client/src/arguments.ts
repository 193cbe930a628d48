import type { operations } from './schema.d.ts'

/** `unknown` (no fields) for `never` and for `Record<string, never>`, the type of a body without fields. */
type Known<T> = [T] extends [never] ? unknown : string extends keyof T ? unknown : T
type Parameters<Name extends keyof operations> = operations[Name]['parameters']
type Body<Name extends keyof operations> = NonNullable<operations[Name]['requestBody']>

/** The arguments of a method: the parameters of its path and query, and the fields of its body. */
export type Arguments<Name extends keyof operations> = Known<NonNullable<Parameters<Name>['path']>> &
  Known<NonNullable<Parameters<Name>['query']>> &
  (Body<Name> extends { content: { 'application/json': infer Members } } ? Known<Members> : unknown)
