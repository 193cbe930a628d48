import type { operations } from './schema.d.ts'

/** No members for `never`, and for `Record<string, never>`, which is a body that takes none. */
type Known<T> = [T] extends [never] ? unknown : string extends keyof T ? unknown : T
type Parameters<Name extends keyof operations> = operations[Name]['parameters']
type Body<Name extends keyof operations> = NonNullable<operations[Name]['requestBody']>

/** What a method takes: the parameters of its path and query, and the members of its body. */
export type Arguments<Name extends keyof operations> = Known<NonNullable<Parameters<Name>['path']>> &
  Known<NonNullable<Parameters<Name>['query']>> &
  (Body<Name> extends { content: { 'application/json': infer Members } } ? Known<Members> : unknown)
