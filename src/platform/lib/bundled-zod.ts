import {
  array,
  boolean,
  discriminatedUnion,
  enum as enumeration,
  int,
  literal,
  looseObject,
  NEVER,
  null as nothing,
  number,
  object,
  preprocess,
  record,
  strictObject,
  string,
  toJSONSchema,
  union,
  unknown,
  url,
  ZodType,
} from 'zod/v4'

/**
 * Replaces `zod` in the bundle (`[alias]` in wrangler.toml): what src uses of zod's `z`, and what `@hono/zod-openapi` extends
 * (ZodType). esbuild would bundle all of `z`. `test/e2e/house.test.ts` compares the names.
 */
export const z = {
  array,
  boolean,
  discriminatedUnion,
  enum: enumeration,
  int,
  literal,
  looseObject,
  NEVER,
  null: nothing,
  number,
  object,
  preprocess,
  record,
  strictObject,
  string,
  toJSONSchema,
  union,
  unknown,
  url,
  ZodType,
}
