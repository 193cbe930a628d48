import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import deployed from '../../src/index.ts'
import local from '../../src/local/worker.ts'

const workers = { local, deployed }

/** What one of the two Workers answers, that of the development server or the deployed one, when it has done all its work. */
export async function answerOf(
  worker: keyof typeof workers,
  request: Request<unknown, IncomingRequestCfProperties>,
  variables: Record<string, string | undefined> = {},
): Promise<Response> {
  const context = createExecutionContext()
  const response = await workers[worker].fetch(request, { ...env, ...variables }, context)
  await waitOnExecutionContext(context)
  return response
}
