import { UploadId } from '../../features/uploads/schema.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { Verdict } from './schema.ts'
import { giveVerdict } from './verdict.ts'

/** The verdict on content before it is ready (docs/content-check.md). */
export const router = new Router('Operators', requestContext)

route(router, 'PUT /v1/uploads/{id}/verdict', 'setVerdict', {
  summary: 'Say whether content may be used',
  description: 'The first verdict is final; repeating it changes nothing.',
  scope: 'content:check',
  audit: false,
  params: UploadId,
  body: Verdict,
  answers: { 204: 'The verdict is recorded' },
  errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_COMPLETED'],
  handle: (ctx, { params, body }) => giveVerdict(ctx, params.id, body),
})
