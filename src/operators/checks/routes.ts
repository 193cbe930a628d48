import { createRoute } from '@hono/zod-openapi'
import { UploadId } from '../../features/uploads/schema.ts'
import { jsonBody } from '../../platform/http/body.ts'
import {
  createRouter,
  errorResponsesWithBody,
  jsonRequest,
  operatorRoute,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Verdict } from './schema.ts'
import { giveVerdict } from './verdict.ts'

/** The verdict on content before it is ready (docs/content-check.md), mounted at /v1/uploads. */
export const checks = createRouter()

const operator = operatorRoute('content:check')

const putVerdict = createRoute({
  method: 'put',
  path: '/{id}/verdict',
  operationId: 'setVerdict',
  summary: 'Say whether content may be used',
  description:
    'The first verdict is final; repeating it changes nothing. Requires a token with the scope `content:check`.',
  ...operator,
  middleware: [operator.middleware, jsonBody],
  request: { params: UploadId, body: jsonRequest(Verdict) },
  responses: {
    204: { description: 'The verdict is recorded' },
    ...errorResponsesWithBody('FORBIDDEN', 'UPLOAD_NOT_FOUND', 'UPLOAD_COMPLETED'),
  },
})
checks.openapi(putVerdict, async (c) => {
  await giveVerdict(requestContext(c), c.req.valid('param').id, c.req.valid('json'))
  return c.body(null, 204)
})
