import { readFileSync } from 'node:fs'
import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import description from '../../docs/openapi.json' with { type: 'json' }
import { socketDescription } from '../support/exposed.ts'
import { project } from './citations.ts'

/** The pages whose code can't be run here, each with the language of its blocks, and what is not code in it. */
const engines = [
  { page: 'unreal.md', language: 'cpp', comment: /\/\/.*|\/\*[\s\S]*?\*\/|#include.*/ },
  { page: 'godot.md', language: 'gdscript', comment: /#.*/ },
]

/** The two parts of a page: about requests, uploads and the socket; about saves. */
function partsOf(page: string): { requests: string; saves: string } {
  const [requests = '', saves = ''] = readFileSync(`${project}docs/${page}`, 'utf8').split(
    /\n##+ Saves and small files\n/,
  )
  return { requests, saves }
}

const TEXT = /"((?:[^"\\]|\\.)*)"/

/** The code of a part of a page without comments, and the texts in it. */
function codeOf(part: string, { language, comment }: (typeof engines)[number]) {
  const code = [...part.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .map(([, marked, block = '']) => (marked === language ? block : ''))
    .join('')
    .replaceAll(new RegExp(`(${TEXT.source})|${comment.source}`, 'g'), '$1')
    .replaceAll(/TEXT\(("(?:[^"\\]|\\.)*")\)/g, '$1')
  return { code, texts: [...code.matchAll(new RegExp(TEXT, 'g'))].map(([, text = '']) => text) }
}

/** What is in a description below a value, `$ref`s followed: the names of members, and the values that one may have. */
function wordsIn(
  value: unknown,
  root: unknown,
  words = new Set<string>(),
  seen = new Set<unknown>(),
): Set<string> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return words
  seen.add(value)
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') wordsIn(resolved(inner, root), root, words, seen)
    if (key === 'properties' && typeof inner === 'object')
      for (const name of Object.keys(inner)) words.add(name)
    if (key === 'enum' && Array.isArray(inner)) for (const one of inner) words.add(String(one))
    if (key === 'const') words.add(String(inner))
    wordsIn(inner, root, words, seen)
  }
  return words
}

function resolved(ref: string, root: unknown): unknown {
  let value = root
  for (const key of ref.slice(2).split('/'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  return value
}

const uploading = ['/v1/uploads', '/v1/uploads/{id}/parts', '/v1/uploads/{id}/complete'] as const
const socket = socketDescription
const described = {
  upload: new Set(uploading.flatMap((path) => [...wordsIn(description.paths[path].post, description)])),
  socket: wordsIn(socket, socket),
}

/** What the code has to name: all that the requests of an upload and of the socket need. */
const needed = {
  upload:
    'upload_type name size_bytes mime_type id url headers multipart part_size part_count part_numbers parts part_number etag uploaded',
  socket: 'type ready data recovered seq',
}

/** Texts of the code that stand for nothing of the API; messages for people have a blank in them. */
const own = ['', 'http://localhost:8787', 'ws', 'Bearer ', 'bearer.', 'application/json', ': ', ':']
const ours = [
  ...['Authorization', 'Content-Type', 'Content-Length', 'ETag', 'notifications.v1', 'ping', 'pong'],
  ...['User-Agent', 'my-game/1.0', 'User-Agent: my-game/1.0', 'web'],
]
const methods = ['GET', 'POST', 'PUT']

describe.each(engines)('the code of docs/$page', (engine) => {
  const { requests } = partsOf(engine.page)
  const { code, texts } = codeOf(requests, engine)

  it('asks for paths that the service has, with methods that they take', () => {
    const built = [...code.matchAll(/"(\/v1\/[^"]*)"(?: \+ [^+;,]*"id"[^+;,]* \+ "(\/[^"]*)")?/g)]
    const paths = built.map(([, path = '', rest]) => (rest === undefined ? path : `${path}{id}${rest}`))
    const [opened = '', ...others] = paths.filter((path) => path.includes('?'))
    expect(opened).toMatch(/^\/v1\/notifications\/ws\?after=(%lld)?$/)
    expect(others).toEqual([])
    const asked = new Set(paths.filter((path) => path !== opened))
    expect(asked).toEqual(new Set(uploading))
    for (const path of uploading) expect(Object.keys(description.paths[path])).toContain('post')
    expect(socket.channels.notifications.address).toBe('/v1/notifications/ws')
    expect(Object.keys(socket.channels.notifications.bindings.ws.query.properties)).toEqual(['after'])
  })

  it('names members and values that are described, and all that it needs', () => {
    const words = texts.filter((text) => /^[a-z][a-z_0-9]*$/.test(text) && ![...own, ...ours].includes(text))
    const known = new Set([...described.upload, ...described.socket])
    expect(words.filter((word) => !known.has(word))).toEqual([])
    for (const member of needed.upload.split(' ')) {
      expect(described.upload, member).toContain(member)
      expect(words, member).toContain(member)
    }
    for (const member of needed.socket.split(' ')) {
      expect(described.socket, member).toContain(member)
      expect(words, member).toContain(member)
    }
  })

  it('has no other text that could be meant for the service', () => {
    const others = texts.filter((text) => !/^[a-z][a-z_0-9]*$/.test(text) && !text.startsWith('/'))
    const known = [...own, ...ours, ...methods]
    expect(others.filter((text) => !known.includes(text) && !/^[A-Z].* /.test(text))).toEqual([])
  })

  it('leaves Content-Length to the engine, and offers the subprotocol where it offers any', () => {
    expect(code).toMatch(/!= "Content-Length"/)
    const offered = /supported_protocols = .*"notifications\.v1"|FString\(\), Headers/
    expect(code).toMatch(offered)
  })

  it('sends a User-Agent with the socket, which no engine does by itself', () => {
    expect(code).toMatch(/"User-Agent("|: )/)
  })

  it('names each type of message that the socket has, so that it knows which others are new', () => {
    const types = Object.keys(socket.components.schemas)
    expect(types).toContain('notifications_deleted')
    for (const type of types) expect(texts, type).toContain(type)
  })

  it('ignores a message without a seq, and lists again after an event that it does not know or that is not the next', () => {
    expect(code).toMatch(/not message\.has\("seq"\):|!Message->TryGetNumberField\("seq", /)
    expect(code).toMatch(/[sS]eq \+ 1 (&&|and) (type in EVENTS|Events\.Contains\(Type\))/)
    expect(code).toMatch(/: \w+ > \*?Seq && !\w+Next|else seq > last_seq and not is_next/)
  })

  it('gives the close codes as they are described', () => {
    const named = new Set(requests.match(/\b44\d\d\b/g))
    expect(named).toEqual(new Set(['4401', '4410', '4429']))
    for (const one of named) expect(JSON.stringify(socket)).toContain(one)
  })
})

/** The operations of the pages about saves, with the parameters of each by place. */
const saving = {
  read: description.paths['/v1/saves/{slot}'].get,
  write: description.paths['/v1/saves/{slot}'].put,
  create: description.paths['/v1/files/content'].post,
}
const Operation = z.object({ parameters: z.array(z.unknown()) })
const Parameter = z.object({ name: z.string(), in: z.enum(['path', 'query', 'header']) })
const Reference = z.object({ $ref: z.string() })

const parametersIn = (place: 'query' | 'header') =>
  Object.values(saving)
    .flatMap((operation) => Operation.parse(operation).parameters)
    .map((parameter) => {
      const { data } = Reference.safeParse(parameter)
      return Parameter.parse(data ? resolved(data.$ref, description) : parameter)
    })
    .filter((parameter) => parameter.in === place)
    .map(({ name }) => name)

describe.each(engines)('the code for saves of docs/$page', (engine) => {
  const { saves } = partsOf(engine.page)
  const { code, texts } = codeOf(saves, engine)

  it('asks for paths that the service has, with parameters that they take', () => {
    const paths = texts.filter((text) => text.startsWith('/v1/'))
    expect(new Set(paths)).toEqual(new Set(['/v1/saves/', '/v1/files/content?name=']))
    const queried = texts.flatMap((text) => [...text.matchAll(/[?&](\w+)=/g)].map(([, name = '']) => name))
    expect(new Set(queried)).toEqual(new Set(['keep', 'name', 'asset_type']))
    for (const name of queried) expect(parametersIn('query')).toContain(name)
    expect(code).toMatch(/(METHOD_|")GET\b/)
    expect(code).toMatch(/(METHOD_|")PUT\b/)
    expect(code).toMatch(/(METHOD_|")POST\b/)
  })

  it('sends headers that are described, and all that a save needs', () => {
    const named = texts.map((text) => text.split(':')[0] ?? '').filter((text) => /^[A-Z][a-z]+-/.test(text))
    const known = [...parametersIn('header'), 'Content-Type']
    expect(named.filter((name) => !known.includes(name))).toEqual([])
    for (const name of ['Device', 'Label', 'Played-Seconds']) expect(named).toContain(`Save-${name}`)
    for (const name of ['If-Match', 'If-None-Match', 'Idempotency-Key']) expect(named).toContain(name)
  })

  it('percent-encodes what players write', () => {
    const encoded = /"(Save-Device|Save-Label)(?:: )?"\W.*(?:UrlEncode|\.uri_encode)\(/g
    expect([...code.matchAll(encoded)].map(([, name]) => name)).toEqual(['Save-Device', 'Save-Label'])
    expect(code).toMatch(/content\?name=".*(UrlEncode|\.uri_encode)\(/)
  })

  it('handles a conflict with the members that it has, and repeats what has no answer', () => {
    expect(saving.write.responses).toHaveProperty('412.$ref', '#/components/responses/SaveConflict')
    const described = wordsIn(saving.write.responses['412'], description)
    for (const member of ['current', 'revision']) expect(texts).toContain(member)
    for (const member of ['current', 'label', 'device', 'played_seconds', 'updated_at', 'kept_revision']) {
      expect(described).toContain(member)
      expect(saves, member).toContain(`\`${member}\``)
    }
    for (const status of [200, 201, 404, 412, 401, 429, 500])
      expect(code).toMatch(new RegExp(`\\b${status}\\b`))
  })

  it('has no other text that could be meant for the service', () => {
    const described = new Set(Object.values(saving).flatMap((one) => [...wordsIn(one, description)]))
    const others = texts.filter((text) => !/^[A-Z/][\w-]*|^[?&]/.test(text) && !described.has(text))
    const own = ['', 'http://localhost:8787', '*', '%lld', 'sha-256=:', ':', 'application/octet-stream']
    const quoted = ['\\"', '\\"%lld\\"', '\\"%d\\"']
    const members = ['status', 'answer', 'body', 'json'] // of the code's own dictionaries, and of a media type
    expect(others.filter((text) => ![...own, ...quoted, ...members].includes(text))).toEqual([])
  })
})
