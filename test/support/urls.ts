import { z } from '@hono/zod-openapi'
import { made } from './answer.ts'
import { records } from './records.ts'
import type { User } from './user.ts'

/** The answer about one of several files or assets. */
interface UrlOrCode {
  url?: string
  expires_at?: number
}

const Problem = z.object({ code: z.string() })

/** The URL at a path, or the code of the error. */
export async function urlAt(user: User, path: string) {
  const answer = await user.get(path)
  return answer.status === 200
    ? made(records.VersionUrl.or(records.DownloadUrl), answer, 200)
    : { code: Problem.parse(answer.body).code }
}

/** The bookmark of a user's home, as the header of a later request. */
export async function bookmarkOf(user: User): Promise<Record<string, string>> {
  const { headers } = await user.get('/files')
  return { 'X-D1-Bookmark': headers.get('X-D1-Bookmark') ?? '' }
}

/** Answers with the lasting part of each URL: the time and the signature differ from second to second. */
export function lasting(answers: UrlOrCode[]): object[] {
  return answers.map(({ expires_at, url, ...rest }) => {
    if (url === undefined) return rest
    const { origin, pathname, searchParams } = new URL(url)
    return { ...rest, at: origin + pathname, as: searchParams.get('response-content-disposition') }
  })
}
