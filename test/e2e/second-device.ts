/** second-device.ts ORIGIN TOKEN UPLOAD: goes on with an upload in parts that another device began, and completes it. */
import { Client, Upload } from './client.ts'

const [origin = '', token = '', id = ''] = process.argv.slice(2)
const device = new Client(origin, token)
const upload = await device.made(Upload, 'GET', `/uploads/${id}`)
const { part_count = 0, uploaded = [] } = upload.multipart ?? {}
const there = new Set(uploaded.map(({ part_number }) => part_number))
const missing = Array.from({ length: part_count }, (_, i) => i + 1).filter((number) => !there.has(number))
for (const part_number of missing) await device.record(upload, await device.sendParts(upload, [part_number]))
const answer: unknown = await (await device.complete(upload)).json()
console.log(JSON.stringify({ missing, answer }))
