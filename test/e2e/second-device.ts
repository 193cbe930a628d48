/** second-device.ts ORIGIN TOKEN UPLOAD: goes on with an upload in parts that another device began, and completes it. */
import { clientOf, partOf } from './client.ts'

const [origin = '', token = '', upload_id = ''] = process.argv.slice(2)
const upload = await clientOf(origin, token).uploads.get({ id: upload_id })
if (!('multipart' in upload)) throw new Error(`The upload is ${upload.state}, or has no parts.`)
const { part_size, part_count, uploaded = [] } = upload.multipart
const there = new Set(uploaded.map(({ part_number }) => part_number))
const missing = Array.from({ length: part_count }, (_, i) => i + 1).filter((number) => !there.has(number))
const content = {
  size: upload.size_bytes,
  slice: (start: number, end: number) =>
    partOf(Math.floor(start / part_size) + 1, end - start, start % part_size),
}
let puts = 0
const device = clientOf(origin, token, (request) => {
  if (request.method === 'PUT') puts++
  return fetch(request)
})
const answer = await device.assets.upload({ content }, { uploadId: upload_id })
console.log(JSON.stringify({ missing, puts, answer }))
