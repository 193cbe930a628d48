import { jsonIn, type RecordedRequest } from './recorded.ts'

/** HttpMethod of .NET Standard 2.0 has no Patch. */
const methods: Record<string, string> = {
  GET: 'HttpMethod.Get',
  POST: 'HttpMethod.Post',
  PUT: 'HttpMethod.Put',
  DELETE: 'HttpMethod.Delete',
}

/** A request as C# 7.3 for an `HttpClient http`, with `token`, and `content` for bytes that the log does not keep. */
export function asCSharp(request: RecordedRequest): string {
  const { method, url, headers, body, is_of_service, answer } = request
  const { 'content-type': type, 'x-d1-bookmark': _, ...others } = headers
  const json = jsonIn(body)
  const given = Object.entries(others).map(
    ([name, value]) => `request.Headers.TryAddWithoutValidation(${text(name)}, ${text(value)});`,
  )
  const content =
    json === undefined
      ? [
          'request.Content = new ByteArrayContent(content);',
          ...(type === undefined
            ? []
            : [`request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(${text(type)});`]),
        ]
      : [
          `request.Content = new StringContent(${text(JSON.stringify(json))}, Encoding.UTF8, "application/json");`,
        ]
  const isContent = answer?.body !== undefined && answer.body.text === undefined
  return [
    `using (var request = new HttpRequestMessage(${methods[method] ?? `new HttpMethod(${text(method)})`}, ${text(url)}))`,
    '{',
    ...indented([
      ...(is_of_service
        ? ['request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);']
        : []),
      ...given,
      ...(body ? content : []),
      'using (var response = await http.SendAsync(request))',
      '{',
      `    var answer = await response.Content.${isContent ? 'ReadAsByteArrayAsync' : 'ReadAsStringAsync'}();`,
      '}',
    ]),
    '}',
  ].join('\n')
}

/** A string literal. The escapes of JSON are C#'s; three more characters end a line in C#. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `    ${line}`)
}
