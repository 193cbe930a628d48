import { jsonIn, type RecordedRequest } from './recorded.ts'

/** A request as GDScript of Godot 4 for a node, with `token`, and `content` for bytes that the log does not keep. */
export function asGDScript({ method, url, headers, body, is_of_service, answer }: RecordedRequest): string {
  const { 'x-d1-bookmark': _, ...given } = headers
  const json = jsonIn(body)
  const lines = [
    ...(is_of_service ? ['"Authorization: Bearer " + token'] : []),
    ...Object.entries(given).map(([name, value]) => JSON.stringify(`${name}: ${value}`)),
  ]
  const start = `${JSON.stringify(url)}, headers, HTTPClient.METHOD_${method}`
  const isJson = answer?.body?.text !== undefined
  return [
    'var http := HTTPRequest.new()',
    'add_child(http)',
    `var headers := PackedStringArray([${lines.map((line) => `\n\t${line},`).join('')}${lines.length > 0 ? '\n' : ''}])`,
    // The escapes and literals of JSON are GDScript's.
    ...(json === undefined ? [] : [`var body := JSON.stringify(${JSON.stringify(json)})`]),
    body && json === undefined
      ? `http.request_raw(${start}, content)`
      : `http.request(${start}${json === undefined ? '' : ', body'})`,
    '# The result, the status, the headers and the body.',
    'var response: Array = await http.request_completed',
    ...(isJson ? ['var answer = JSON.parse_string(response[3].get_string_from_utf8())'] : []),
    'http.queue_free()',
  ].join('\n')
}
