import { expect } from 'vitest'
import type { Answer } from '../../support/exchange.ts'
import { gif } from '../../support/pictures.ts'
import { agrees, member } from './act.ts'
import type { World } from './state.ts'

/** What is sent, byte for byte a character. */
export const sizes = [10, 1, 30, 0, 60] as const

export function contentOf(size_bytes: number, letter: 'x' | 'y'): string {
  return letter.repeat(size_bytes)
}

export function bytes(content: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(content, (letter) => letter.charCodeAt(0))
}

/** The type of content that the studio checks. Nobody asks its checker: commands give the verdicts. */
export const CHECKED_TYPE = 'text/csv'

/** A picture. */
export const picture = String.fromCharCode(...gif)

/** The checksums of the right content of each size. */
export const checksums: Record<number, string> = Object.fromEntries(
  await Promise.all(
    sizes.map(async (size) => {
      const digest = await crypto.subtle.digest('SHA-256', bytes(contentOf(size, 'x')))
      return [size, btoa(String.fromCharCode(...new Uint8Array(digest)))]
    }),
  ),
)

/** What precedes the number of a content whose key nobody is told. */
export const AT_ONCE = 'at once '

/** Keeps content that came in one request. Returns a key for it: the service tells nobody its own. */
export function keyAtOnce(world: World, content: string): string {
  const key = `${AT_ONCE}${world.objects.size}`
  world.objects.set(key, content)
  return key
}

/** The answer is a URL to the content that came with the upload, or in one request, valid until then. */
export function expectUrl(world: World, answer: Answer, upload: string | null, expires_at: number): void {
  const url = String(member(answer, 'url'))
  agrees(answer, 200, { url, expires_at })
  expectSigned(world, url, upload, expires_at)
}

/** The URL leads to the content, and is valid until then. */
export function expectSigned(world: World, url: string, upload: string | null, expires_at: number): void {
  if (!upload?.startsWith(AT_ONCE))
    expect(new URL(url).pathname.split('/').at(-1), 'the object that the URL leads to').toBe(upload)
  expect(world.objects.has(String(upload)), 'its content').toBe(true)
  expectSignedUntil(url, expires_at)
}

/** The URL is good for as long as it says, which its signature decides (AWS Signature Version 4, query form). */
export function expectSignedUntil(url: string, expires_at: number): void {
  const signed = new URL(url).searchParams
  const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(signed.get('X-Amz-Date') ?? '') ?? []
  const day = date?.replace(/(....)(..)(..)/, '$1-$2-$3')
  const from = Date.parse(`${day}T${time?.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`) / 1_000
  expect(from + Number(signed.get('X-Amz-Expires')), 'the end of what is signed').toBe(expires_at)
}
