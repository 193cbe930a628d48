import { z } from '@hono/zod-openapi'
import { errorCodes, limits, MAX_ERRORS } from '../errors.ts'

/** A member of a request that is not valid. */
const InvalidMember = z
  .object({
    in: z.enum(['body', 'query', 'path', 'header']),
    path: z.string().openapi({ description: 'JSON Pointer (RFC 6901)', example: '/name' }),
    message: z.string().openapi({ example: 'must have 1 to 255 characters.' }),
  })
  .openapi('InvalidMember')

/** RFC 9457 problem details. */
export const Problem = z
  .object({
    type: z.string().openapi({ example: 'urn:problem:CODE' }),
    title: z.string().openapi({ example: 'The code in words' }),
    status: z.int().openapi({ format: 'int32', example: 400 }),
    detail: z.string().openapi({ example: 'What is known about this case, for people' }),
    code: z.enum(Object.keys(errorCodes)).openapi({ description: 'The code that a client decides by' }),
    request_id: z.string().openapi({
      description: 'Also in X-Request-Id and in the log',
      example: '7d0e3b0a-2f64-4f0e-9d5a-5f6b1c1e8a52',
    }),
    errors: z.array(InvalidMember).max(MAX_ERRORS).optional().openapi({
      description: 'With VALIDATION_FAILED. `detail` says how many are left out',
    }),
    limit: z
      .enum(Object.keys(limits))
      .optional()
      .openapi({ description: 'With LIMIT_REACHED: the name of the limit' }),
  })
  .openapi('Problem')
