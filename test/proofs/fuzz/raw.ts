import type { Dice } from './dice.ts'
import type { RequestStep } from './step.ts'
import { hostileTexts } from './values.ts'

/** Ways to spoil a request that no schema knows of: its text, its type, its path, its headers, its method. */

type Spoil = (step: RequestStep, dice: Dice) => Partial<RequestStep>

const body =
  (spoil: (text: string, dice: Dice) => string): Spoil =>
  (step, dice) => ({
    body: spoil(step.body ?? '{}', dice),
    headers: { 'Content-Type': 'application/json', ...step.headers },
  })

const header =
  (name: string, values: readonly string[]): Spoil =>
  ({ headers }, dice) => ({ headers: { ...headers, [name]: dice.pick(values) } })

const path =
  (spoil: (path: string, dice: Dice) => string): Spoil =>
  (step, dice) => ({ path: spoil(step.path, dice) })

const query = (...texts: string[]) =>
  path((at, dice) => `${at}${at.includes('?') ? '&' : '?'}${dice.pick(texts)}`)

const brokenTexts = [
  '',
  ' ',
  '{',
  '}',
  'null',
  '[]',
  '"text"',
  '1',
  'true',
  '{"name":}',
  "{'name':'a'}",
  '{"name":"a",}',
  '{"name":"a"}{"name":"b"}',
  '{"name":"a"} trailing',
  '{name:"a"}',
  '{"name":"\\ud800"}',
  '{"name":"\\x41"}',
  '{"name":"a\u0000b"}',
  '{"name":"a\nb"}',
  '\ufeff{"name":"a"}',
  '/* c */{}',
  '{"a":NaN}',
  '{"a":01}',
  '{"a":1e400}',
  '<xml/>',
  'name=a&asset_type=folder',
]

const ofBodies: Spoil[] = [
  body((_, dice) => dice.pick(brokenTexts)),
  body((text, dice) => text.slice(0, dice.below(text.length))),
  body((text) => text.replace('{', '{"__proto__":{"polluted":true},')),
  body((text) => text.replace('{', '{"constructor":{"prototype":{"polluted":true}},')),
  body((text) => text.replace(/^\{("[^"]*"):/, '{$1:null,$1:')),
  body((text) => text.replace(/^\{("[^"]*"):("[^"]*"|\w+)/, '{$1:$2,$1:$2')),
  body((text) => text.replace(/\}$/, `,"unknown":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)),
  body((text) => text.replace(/\}$/, `,"unknown":"${'x'.repeat(70_000)}"}`)),
  body((text) => text.replace(/\}$/, `,"unknown":${'9'.repeat(5_000)}}`)),
  body((text) => `${' '.repeat(64 * 1024 - text.length)}${text}`),
  body((text) => `[${text}]`),
  (step) => ({ body: undefined, headers: { ...step.headers, 'Content-Type': 'application/json' } }),
  (step) => ({
    headers: Object.fromEntries(Object.entries(step.headers).filter(([name]) => name !== 'Content-Type')),
  }),
  header('Content-Type', [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json;charset=utf-8',
    'APPLICATION/JSON',
    'application/vnd.api+json',
    'application/jsonx',
    'application/json, text/plain',
    '*/*',
    ';',
  ]),
]

const many = (length: number, item: (index: number) => unknown) =>
  Array.from({ length }, (_, index) => item(index))

/** Lists far beyond what anybody needs, up to a body of 1 MiB: each item could be one to be looked at, or written. */
const ofLists: Spoil[] = [
  body((_, dice) =>
    JSON.stringify({
      parts: many(dice.pick([1_000, 10_000, 10_001]), (at) => ({ part_number: at + 1, etag: 'e' })),
    }),
  ),
  body(() =>
    JSON.stringify({ parts: many(900, (at) => ({ part_number: at + 1, etag: 'e'.repeat(1_000) })) }),
  ),
  body((_, dice) =>
    JSON.stringify({ part_numbers: many(dice.pick([1_000, 10_000, 30_000]), (at) => at + 1) }),
  ),
  body(() => JSON.stringify({ part_numbers: many(9_000, () => 1) })),
  body((_, dice) =>
    JSON.stringify({
      uploaded: many(dice.pick([900, 10_000]), (at) => ({
        part_number: at + 1,
        etag: '"e"',
        ...(at % 2 === 0 && { checksum_sha256: `${'A'.repeat(43)}=` }),
      })),
    }),
  ),
  body((_, dice) =>
    JSON.stringify({
      notification_ids: many(
        dice.pick([1_000, 1_600]),
        (at) => `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`,
      ),
    }),
  ),
  body((text) => `${' '.repeat(1024 ** 2 - text.length)}${text}`),
  body((text) => text.replace(/\}$/, `,"unknown":"${'x'.repeat(1024 ** 2)}"}`)),
  header('If-Match', [
    many(20, (at) => `"${at}"`).join(', '),
    many(21, (at) => `"${at}"`).join(', '),
    many(3_000, (at) => `"${at}"`).join(','),
    many(3_000, () => 'W/"1"').join(','),
    `"${'1'.repeat(20_000)}"`,
  ]),
]

const ofTokens: Spoil[] = [
  (step, dice) => ({ headers: { ...step.headers, Authorization: `Bearer ~t${dice.below(64)}~` } }),
  (step, dice) => ({ headers: { ...step.headers, Authorization: `Bearer ~t${dice.below(64)}~` } }),
  header('Authorization', [
    '',
    'Bearer',
    'Bearer  ',
    'Basic YTpi',
    'Bearer a.b.c',
    'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEiLCJleHAiOjk5OTk5OTk5OTl9.',
    'Bearer null',
    `Bearer ${'a'.repeat(9_000)}`,
  ]),
  (_, dice) => ({ who: undefined, headers: { Cookie: dice.pick(['session=1', 'token=x']) } }),
]

const ofHeaders: Spoil[] = [
  header('If-Match', [
    '*',
    '"1"',
    '"1", "2", "3"',
    'W/"1"',
    'W/"1", "2"',
    Array.from({ length: 21 }, (_, at) => `"${at + 1}"`).join(', '),
    Array.from({ length: 1_000 }, (_, at) => `W/"${at + 1}"`).join(','),
    '1',
    '""',
    '"',
    '"x',
    ',',
    '"9999999999999999999"',
    '*, "1"',
  ]),
  header('Idempotency-Key', [
    '',
    ' ',
    'k',
    'k'.repeat(255),
    'k'.repeat(256),
    "'; --",
    '\u00ff',
    '{}',
    '__proto__',
  ]),
  header('X-D1-Bookmark', [
    '',
    'first-primary',
    'first-unconstrained',
    '00000000-00000000-00000000-00000000000000000000000000000000',
    'ffffffff-ffffffff-ffffffff-ffffffffffffffffffffffffffffffff',
    "'; DROP TABLE files",
  ]),
  header('X-Request-Id', [
    '00000000-0000-4000-8000-000000000000',
    '018f0000-0000-7000-8000-000000000000',
    'request-1',
    '../../etc/passwd',
    '<script>',
    'a'.repeat(400),
    'a b c d e f g',
    '{{7*7}} {{7*7}}',
  ]),
  header('Origin', ['null', 'https://evil.example', 'file://', '*', '']),
  header('Upgrade', ['websocket', 'WebSocket', 'h2c', '']),
  header('Sec-WebSocket-Protocol', [
    'notifications.v1',
    'notifications.v1, bearer.x',
    'other',
    ',',
    'bearer.',
  ]),
  header('X-HTTP-Method-Override', ['DELETE', 'PUT']),
  header('X-Forwarded-For', ['127.0.0.1']),
  header('X-After', ['0']),
  header('X-Expires-At', ['9999999999']),
  header('Range', ['bytes=0-0', 'bytes=-1']),
  header('Accept', ['text/html', 'application/xml', '']),
  header('If-None-Match', ['*', '"1"']),
]

const ofMethods: Spoil[] = [
  (_, dice) => ({
    method: dice.pick(['HEAD', 'OPTIONS', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE']),
  }),
  (step) => ({ method: 'HEAD', body: undefined, headers: step.headers }),
]

const ofPaths: Spoil[] = [
  path((at) => `${at}/`),
  path((at) => at.replace('/v1/', '/v1//')),
  path((at) => at.replace('/v1/', '/V1/')),
  path((at) => at.replace('/v1/', '/v1/./')),
  path((at) => at.replace('/v1/', '/v1/%2e%2e/v1/')),
  path((at) => at.replace(/\/[^/?]*(\?|$)/, '/%zz$1')),
  path((at) => at.replace(/\/[^/?]*(\?|$)/, '/%00$1')),
  path((at) => at.replace(/\/[^/?]*(\?|$)/, '/%ff%fe$1')),
  path((at) => at.replace(/\/[^/?]*(\?|$)/, '/%E0%A4%A$1')),
  path((at) => at.replace(/\/[^/?]*(\?|$)/, '/a%2Fb$1')),
  path((at) => at.replace(/(\?|$)/, ';x=y$1')),
  path((at) => at.replace(/\/[^/?]*(\?|$)/, `/${'a'.repeat(8_000)}$1`)),
  path((at, dice) =>
    at.replace(/\/[^/?]*(\?|$)/, () => `/${encodeURIComponent(dice.pick(hostileTexts).toWellFormed())}`),
  ),
  path((at) => at.replaceAll('%', '%25')),
]

const ofQueries: Spoil[] = [
  query('limit=1&limit=2', 'limit=', 'limit', 'cursor=&cursor=', 'limit[]=1', 'sort=name&sort=size_bytes'),
  query(
    'cursor=W10',
    'cursor=bnVsbA',
    'cursor=WyJmaWxlcyAgIG5hbWUgYXNjIiwibnVsbCIsbnVsbF0',
    'cursor=%00',
    'cursor=AAAA',
  ),
  query(
    '%zz=1',
    '=',
    '&&&',
    'a=%E0%A4',
    '__proto__[x]=1',
    'constructor=1',
    'toString=1',
    'q=%00',
    'q=%22',
    'q=%',
  ),
  query(
    'limit=1e2',
    'limit=0x10',
    'limit=1.0',
    'limit=-0',
    'limit=+1',
    'limit=%201',
    'limit=١',
    'offset=-1',
    'after=-1',
  ),
]

/** The step, spoilt in one way. */
export function spoilt(step: RequestStep, dice: Dice): RequestStep {
  const others = [ofTokens, ofHeaders, ofMethods, ofPaths, ofQueries]
  const spoils = dice.pick(
    step.body === undefined ? others : [ofBodies, ofBodies, ofBodies, ofLists, ...others],
  )
  return { ...step, ...dice.pick(spoils)(step, dice), intent: `${step.intent}, spoilt` }
}
