import type { Dice } from './dice.ts'
import type { Pool } from './pool.ts'

const bucket = 'edge-game-storage'

/** Headers that were not signed, to be sent along with the content: what S3 keeps with an object, or copies by. */
export function smuggled(dice: Dice, pool: Pool): Record<string, string> {
  const other = pool.pick(dice, ['sent', 'ended upload', 'upload', 'multipart'])?.reference ?? 'unknown'
  const copy = { 'x-amz-copy-source': dice.pick([`/${bucket}/${other}`, `${bucket}/${other}`]) }
  return dice.pick<Record<string, string>>([
    copy,
    copy,
    { ...copy, 'x-amz-metadata-directive': 'REPLACE' },
    { ...copy, 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-upload': other },
    { ...copy, 'x-amz-copy-source-range': 'bytes=0-3' },
    { ...copy, 'x-amz-copy-source-if-match': '*' },
    { 'Content-Encoding': dice.pick(['gzip', 'br', 'aws-chunked', 'identity']) },
    { 'Cache-Control': dice.pick(['public, max-age=31536000, immutable', 'no-cache, public', 'no-cache']) },
    { Expires: 'Wed, 21 Oct 2099 07:28:00 GMT' },
    { 'Content-Language': 'de' },
    { 'Content-Disposition': 'inline; filename="x.html"' },
    { 'Content-Type': 'text/html' },
    { 'x-amz-meta-upload': other },
    { 'x-amz-meta-owner': 'somebody else' },
    { 'x-amz-acl': 'public-read' },
    { 'x-amz-storage-class': 'GLACIER' },
    { 'x-amz-website-redirect-location': 'https://evil.example' },
    { 'x-amz-tagging': 'a=b' },
    { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' },
    { 'If-None-Match': '"other"' },
    { 'If-Match': '*' },
    { 'Content-MD5': 'AAAAAAAAAAAAAAAAAAAAAA==' },
  ])
}
