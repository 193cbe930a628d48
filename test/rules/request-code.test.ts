import { describe, expect, it } from 'vitest'
import { tokensIn } from '../../console/src/json.ts'
import { asClientCode, asCurl } from '../../console/src/requests/as-code.ts'
import { asCSharp } from '../../console/src/requests/as-csharp.ts'
import { asGDScript } from '../../console/src/requests/as-gdscript.ts'
import { jsonBody } from '../../console/src/requests/body.ts'
import type { RecordedRequest } from '../../console/src/requests/recorded.ts'
import { timingsIn } from '../../console/src/requests/server-timing.ts'

const name = 'a "b" \\ \'c\' $d {e} \n\t Ä 🎮 \u2028'

const recorded = (different: Partial<RecordedRequest>): RecordedRequest => ({
  id: 1,
  method: 'GET',
  url: 'https://storage.example/v1/files?limit=2',
  is_of_service: true,
  headers: {},
  body: undefined,
  at: 0,
  status: 200,
  code: undefined,
  ms: 1,
  answer: undefined,
  ...different,
})
const body = (text: string | undefined, mime_type = 'application/json') => ({
  mime_type,
  size_bytes: 9,
  text,
  is_cut: false,
  is_masked: false,
})
const edited = recorded({
  method: 'PATCH',
  url: 'https://storage.example/v1/files/1',
  headers: { 'content-type': 'application/json', 'if-match': '"3"' },
  body: body(JSON.stringify({ name }, null, 2)),
  answer: { headers: {}, body: body('{}') },
})
const sent = recorded({
  method: 'PUT',
  url: 'https://storage.example/v1/saves/main',
  headers: { 'content-type': 'image/png', 'x-d1-bookmark': 'old' },
  body: body(undefined, 'image/png'),
})

/** The string literals of code whose escapes are those of JSON, as the strings that they stand for. */
function strings(code: string): string[] {
  return (code.match(/"(?:[^"\\\n]|\\.)*"/g) ?? []).map((literal) => JSON.parse(literal))
}

describe('a request of the console', () => {
  it('is C# whose strings are what was sent, whatever they hold', () => {
    const code = asCSharp(edited)
    expect(strings(code)).toEqual([
      'PATCH',
      edited.url,
      'Bearer',
      'if-match',
      '"3"',
      JSON.stringify({ name }),
      'application/json',
    ])
    expect(code).not.toContain('\u2028')
    expect(code).toMatch(/^using \(var request = new HttpRequestMessage\(new HttpMethod\("PATCH"\), "/)
    expect(code).toContain('new AuthenticationHeaderValue("Bearer", token)')
  })

  it('is C# that sends content which the log does not keep', () => {
    const code = asCSharp(sent)
    expect(code).toContain('new HttpRequestMessage(HttpMethod.Put, "')
    expect(code).toContain('request.Content = new ByteArrayContent(content);')
    expect(code).toContain('MediaTypeHeaderValue.Parse("image/png")')
    expect(code).not.toContain('bookmark')
  })

  it('is a call of the C# client, if it is an operation of the service', () => {
    const operation = { id: 'editFile', summary: 'Edit', path: { id: 1 } }
    const code = asCSharp(edited, operation)
    expect(strings(code)).toEqual(['1', name, '"3"'])
    expect(code).toMatch(/^var changedFile = await storage\.EditFileAsync\(/)
    expect(code).toContain('new ChangeOptions { IfMatch = "\\"3\\"" });')
    const searched = recorded({
      url: 'https://storage.example/v1/game/public?tag=a&tag=b&sort=popular&limit=2&type=world',
    })
    expect(asCSharp(searched, { id: 'browseAssets', summary: 'Browse', path: {} })).toBe(
      `var gameAssetPage = await storage.BrowseAssets(new BrowseAssetsQuery
{
    Type = GameAssetType.World,
    Tag = new[] { "a", "b" },
    Sort = AssetSort.Popular,
    Limit = 2,
}).GetPageAsync();`,
    )
    expect(asCSharp(sent, { id: 'writeSave', summary: 'Write', path: { slot: 'main' } })).toBe(
      'var save = await storage.Saves.WriteAsync("main", content, new SaveWriteOptions { MimeType = "image/png" });',
    )
    const named = {
      ...sent,
      headers: { 'save-label': encodeURIComponent('Ä "mill"'), 'save-played-seconds': '7' },
    }
    expect(asCSharp(named, { id: 'writeSave', summary: 'Write', path: { slot: 'main' } })).toContain(
      'new SaveWriteOptions { Label = "Ä \\"mill\\"", PlayedSeconds = 7 }',
    )
    const older = recorded({ url: 'https://storage.example/v1/saves/main?revision=2' })
    expect(asCSharp(older, { id: 'readSave', summary: 'Read', path: { slot: 'main' } })).toBe(
      'var save = await storage.Saves.ReadAsync("main", 2);',
    )
  })

  it('is C# for an HttpClient, if the client has no such call', () => {
    const operation = { id: 'editFile', summary: 'Edit', path: { id: '1' } }
    const added = { ...edited, body: body(JSON.stringify({ name: 'a', added: 1 })) }
    expect(asCSharp(added, operation)).toMatch(/^using \(var request/)
    expect(asCSharp({ ...edited, body: { ...body('{"name": "a'), is_cut: true } }, operation)).toMatch(
      /^using/,
    )
    expect(asCSharp(edited, { ...operation, id: 'getShards' })).toMatch(/^using/)
  })

  it('is GDScript whose strings are what was sent, whatever they hold', () => {
    const code = asGDScript(edited)
    expect(strings(code)).toEqual([
      'Authorization: Bearer ',
      'content-type: application/json',
      'if-match: "3"',
      'name',
      name,
      edited.url,
    ])
    expect(code).toContain('HTTPClient.METHOD_PATCH, body)')
    expect(code).toContain('var answer = JSON.parse_string(')
    expect(asGDScript(sent)).toContain('HTTPClient.METHOD_PUT, content)')
  })

  it('is curl and client code, without what the log does not have', () => {
    expect(asCurl(edited)).toContain(`-d '${JSON.stringify({ name }).replaceAll("'", `'\\''`)}'`)
    expect(asCurl(sent)).toContain('--data-binary @FILE')
    const operation = { id: 'editFile', summary: 'Edit', path: { id: '1' } }
    expect(asClientCode(edited, operation)).toMatch(
      /^await client\.files\.edit\(.*, \{ ifMatch: "\\"3\\"" \}\)$/s,
    )
    const erased = recorded({
      method: 'DELETE',
      url: 'https://storage.example/v1/users/ada',
      headers: { 'audit-reason': 'Ada%E2%80%99s%20wish' },
    })
    const erasing = { id: 'eraseUser', summary: 'Erase', path: { user_id: 'ada' } }
    expect(asClientCode(erased, erasing)).toBe(
      `await studio.users.erase({ user_id: "ada" }, { auditReason: "Ada’s wish" })`,
    )
    expect(asCSharp(erased, erasing)).toBe(`await storage.EraseUserAsync("ada", auditReason: "Ada’s wish");`)
    const long = { ...edited, body: { ...body('{"name": "a'), is_cut: true } }
    expect(asClientCode(long, operation)).toBeUndefined()
    expect(asCurl(long)).toContain('--data-binary @FILE')
  })
})

it('reads Server-Timing as its standard has it', () => {
  expect(timingsIn('total;dur=9, db;dur=8.5;desc="D1: 1, \\"2\\"; 3" , r2 ; desc=R2;dur="1",cache')).toEqual([
    { name: 'total', duration: 9, description: undefined },
    { name: 'db', duration: 8.5, description: 'D1: 1, "2"; 3' },
    { name: 'r2', duration: 1, description: 'R2' },
    { name: 'cache', duration: undefined, description: undefined },
  ])
})

describe('the JSON that the console keeps of a request', () => {
  it('has a line for each member, and numbers as they were sent', () => {
    const { text } = jsonBody(
      'application/json',
      '{"a":[1.50,12345678901234567890],"b":{ },"c":"{\\"x\\": [1, 2]}"}',
    )
    expect(text).toBe(
      '{\n  "a": [\n    1.50,\n    12345678901234567890\n  ],\n  "b": {},\n  "c": "{\\"x\\": [1, 2]}"\n}',
    )
  })

  it('lacks tokens and the queries of signed URLs, and says so', () => {
    const secrets = {
      url: 'https://bucket.example/key?X-Amz-Date=1&X-Amz-Signature=abc',
      parts: [{ url: 'http://localhost/part?X-Amz-Signature=abc' }],
      preview_url: 'https://storage.example/pictures/1?expires=1&signature=abc',
      token: 'abc',
      pasted: 'eyJabc.eyJabc.abc',
    }
    const kept = jsonBody('application/json', JSON.stringify(secrets))
    expect(kept.is_masked).toBe(true)
    expect(kept.text).not.toContain('abc')
    expect(kept.text).toContain('"https://bucket.example/key?SIGNED"')
    const plain = jsonBody('application/json', '{"url":"https://studio.example/?page=1"}')
    expect(plain).toMatchObject({ is_masked: false, text: expect.stringContaining('?page=1') })
  })

  it('lacks secrets that are a part of a text, and those beside an escape', () => {
    const texts = [
      '{"detail":"see https://bucket.example/key?X-Amz-Signature=abc, or https://a.example/?page=1"}',
      '{"url":"https:\\/\\/bucket.example\\/key?X-Amz-Signature=abc"}',
      '{"authorization":"Bearer eyJabc.eyJabc.abc"}',
      '{"token":"a\\"abc"}',
      'no JSON, with "token":"abc"',
    ]
    for (const text of texts) expect(jsonBody('application/json', text).text).not.toContain('abc')
    expect(jsonBody('application/json', texts[0] ?? '').text).toContain('https://a.example/?page=1')
  })

  it('ends after 16 KiB, with the size of all of it', () => {
    const long = jsonBody('application/json', JSON.stringify('Ä'.repeat(20_000)))
    expect(long).toMatchObject({ is_cut: true, size_bytes: 40_002 })
    expect(long.text).toHaveLength(16 * 1024)
  })

  it('has colours wherever it is cut, in the time of one reading', () => {
    const kinds = (text: string) => tokensIn(text).map(({ text, kind }) => `${kind} ${text}`)
    expect(kinds('{"a": [-1.5e3, true, "b\\"c"]}')).toEqual([
      'name "a":',
      'value -1.5e3',
      'value true',
      'string "b\\"c"',
    ])
    const id = '019a7e2c-6f7a-7000-9d3c-2b'
    expect(kinds(`{"id": "${id}`)).toEqual(['name "id":', `string "${id}`])
    expect(kinds('{"id": "a\\')).toEqual(['name "id":', 'string "a\\'])
  })
})
