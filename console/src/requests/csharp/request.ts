/** A request as C# 7 for an `HttpClient http`, with `token`: one that the C# client has no method for. */
import { text } from './names.ts'

export interface RawRequest {
  method: string
  url: string
  /** Without those of the token. */
  headers: Record<string, string>
  /** Whether the request has the token. */
  needsToken: boolean
  /** A JSON body as text. */
  json: string | undefined
  /** The expression of a body of content. */
  content: string | undefined
  answersContent: boolean
}

/** HttpMethod of .NET Standard 2.0 has no Patch. */
const methods: Record<string, string> = {
  GET: 'HttpMethod.Get',
  POST: 'HttpMethod.Post',
  PUT: 'HttpMethod.Put',
  DELETE: 'HttpMethod.Delete',
}

export function csharpRequest({
  method,
  url,
  headers,
  needsToken,
  json,
  content,
  answersContent,
}: RawRequest): string {
  const given = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .map(([name, value]) => `request.Headers.TryAddWithoutValidation(${text(name)}, ${text(value)});`)
  const [, type] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? []
  const body = [
    json !== undefined &&
      `request.Content = new StringContent(${text(json)}, Encoding.UTF8, "application/json");`,
    content !== undefined && `request.Content = new ByteArrayContent(${content});`,
    content !== undefined &&
      type !== undefined &&
      `request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(${text(type)});`,
  ].filter((line) => line !== false)
  return [
    `using (var request = new HttpRequestMessage(${methods[method] ?? `new HttpMethod(${text(method)})`}, ${text(url)}))`,
    '{',
    ...indented([
      ...(needsToken
        ? ['request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);']
        : []),
      ...given,
      ...body,
      'using (var response = await http.SendAsync(request))',
      '{',
      `    var answer = await response.Content.${answersContent ? 'ReadAsByteArrayAsync' : 'ReadAsStringAsync'}();`,
      '}',
    ]),
    '}',
  ].join('\n')
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `    ${line}`)
}
