import { z } from '@hono/zod-openapi'
import { errorCodes, limits } from '../errors.ts'

/** A member of a request that is not valid. */
const InvalidMember = z
  .object({
    in: z.enum(['body', 'query', 'path', 'header']),
    path: z.string().openapi({ description: 'JSON Pointer (RFC 6901) to the member', example: '/name' }),
    message: z.string().openapi({ example: 'must have 1 to 255 characters.' }),
  })
  .openapi('InvalidMember')

/** RFC 9457 problem details. */
export const Problem = z
  .object({
    type: z.string().openapi({ description: '`urn:problem:` and the code' }),
    title: z.string().openapi({ description: 'The code in words' }),
    status: z.int().openapi({ format: 'int32', description: 'The HTTP status' }),
    detail: z.string().openapi({ description: 'What is known about this case, for people' }),
    code: z.enum(Object.keys(errorCodes)).openapi({ description: 'The thing to switch on' }),
    request_id: z.string().openapi({ description: 'Also in the header X-Request-Id and in the log' }),
    errors: z.array(InvalidMember).optional().openapi({ description: 'With VALIDATION_FAILED' }),
    limit: z
      .enum(Object.keys(limits))
      .optional()
      .openapi({ description: 'With LIMIT_REACHED: the name of the limit' }),
  })
  .openapi('Problem')
