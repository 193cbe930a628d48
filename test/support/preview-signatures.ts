import { env } from 'cloudflare:test'
import { signPreviews } from '../../src/features/assets/preview-url.ts'
import { configuration } from '../../src/platform/config/configuration.ts'

/** The query that the service would give to the previews of an owner until `expires`, in Unix seconds. */
export async function signedQuery(owner: { id: string }, expires: number, secret?: string): Promise<string> {
  const { config } = configuration(env)
  if (!config) throw new Error('the tests run without a configuration')
  const access = secret === undefined ? config : { ...config, S3_SECRET_ACCESS_KEY: secret }
  return `?expires=${expires}&signature=${await signPreviews(access, owner.id, expires)}`
}
