/** The source of the constants of the error codes, with what a client does about each. */

import { pascal, text } from '../../../console/src/requests/csharp/names.ts'
import { errorCodes } from '../../../src/platform/errors.ts'
import { braced, element, file, plain, spaced, summary } from './source.ts'

/** The codes that the client itself throws. */
const own: Record<string, [title: string, advice: string]> = {
  NETWORK_ERROR: [
    'No answer of the service arrived: the network failed, the answer took too long, or a proxy or a redirect answered',
    'The request may have taken effect. Check the address, and whether the device is online; then repeat the call.',
  ],
  CONTENT_CHANGED: [
    'The content of an upload is not what it was when the upload began: its length or its file has changed, or an upload of one PUT is resumed with other content',
    'Start a new upload with what the content is now. The upload that has ended so stays open, for the bytes that it was begun with.',
  ],
  CONTENT_DAMAGED: [
    'Content of an asset has other bytes than its version: as it arrived, twice, or as the device has kept it',
    'Update it again: what was damaged is deleted.',
  ],
  ETAG_STRIPPED: [
    'An answer that must have an ETag has none: something between this client and the service strips it',
    'The request has taken effect. Find the proxy, and have it pass the header `ETag` on.',
  ],
  STORAGE_REFUSED: [
    'Storage refused a signed URL. `Status` is its answer',
    'Ask for a new URL when it has expired. A header or a length that differs from the signed one is refused, too.',
  ],
}

export function errorCodesSource(): string {
  const codes = Object.entries(errorCodes).map(([code, [status, title, advice]]) => ({
    code,
    about: `${status}: ${title}`,
    advice: advice.replaceAll('[the limits](#limits)', 'the limits in docs/errors.md'),
  }))
  const all = [...codes, ...Object.entries(own).map(([code, [about, advice]]) => ({ code, about, advice }))]
  const constants = all.map(({ code, about }) => [
    ...summary(about),
    `public const string ${pascal(code)} = ${text(code)};`,
  ])
  const cases = all.map(({ code, advice }) => `case ${pascal(code)}: return ${text(plain(advice))};`)
  const advice = [
    ...element('summary', 'What to do about a code, as docs/errors.md says it; null for an unknown code.'),
    ...braced(
      'public static string Advice(string code)',
      braced('switch (code)', [...cases, 'default: return null;']),
    ),
  ]
  return file(
    [],
    [
      [
        ...element('summary', 'The codes of <see cref="StorageException.Code"/>.'),
        ...braced('public static class ErrorCodes', spaced([...constants, advice])),
      ],
    ],
  )
}
