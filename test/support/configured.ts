import { createExecutionContext, env } from 'cloudflare:test'
import { app } from '../../src/app.ts'

/** The service with other variables: undefined takes one away. */
export function configured(variables: Record<string, string | undefined>) {
  const bindings = { ...env, ...variables }
  return async (request: Request) => app.fetch(request, bindings, createExecutionContext())
}
