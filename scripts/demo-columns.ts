/** Two devices side by side: a line for each message, in the column of each device that it came to. */
import { styleText } from 'node:util'
import type { Message } from './demo-answers.ts'
import type { Device } from './demo-device.ts'

const WIDTH = 50

/** Waits for as many messages on each of the listening devices, and prints them as they come. */
export async function printArrivals(devices: Device[], listening: Device[], count = 1): Promise<void> {
  printRow(
    devices.map(({ name }) => name),
    'dim',
  )
  for (let row = 0; row < count; row++) {
    const cells = devices.map(async (device) =>
      listening.includes(device) ? told(await device.hear()) : '·',
    )
    printRow(await Promise.all(cells))
  }
}

function printRow(cells: string[], style: 'dim' | 'reset' = 'reset'): void {
  const line = cells.map((cell) => cell.padEnd(WIDTH)).join('')
  console.log(`    ${styleText(style, line.trimEnd())}`)
}

function told(message: Message): string {
  return `${`seq ${message.seq}`.padEnd(8)}${happening(message).padEnd(30)}badge ${message.unread}`
}

function happening(message: Message): string {
  switch (message.type) {
    case 'ready':
      return message.data.recovered ? 'ready, recovered' : 'ready, not recovered'
    case 'notification':
      return `${message.data.type}: ${message.data.data.from_display_name}`
    case 'notifications_read':
      return message.data.notification_ids ? `${message.data.notification_ids.length} read` : 'all read'
    case 'notification_deleted':
      return 'deleted'
  }
}
