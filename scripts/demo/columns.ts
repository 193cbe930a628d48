/** Prints the messages of two devices side by side: a column for each device, a line for each message. */
import { styleText } from 'node:util'
import type { Message } from './answers.ts'
import type { Device } from './device.ts'

const WIDTH = 50

/** Waits for a number of messages on each listening device, and prints each as it arrives. */
export async function printArrivals(devices: Device[], listening: Device[], count = 1): Promise<void> {
  printRow(
    devices.map(({ name }) => name),
    'dim',
  )
  for (let row = 0; row < count; row++) {
    const cells = devices.map(async (device) =>
      listening.includes(device) ? summary(await device.hear()) : '·',
    )
    printRow(await Promise.all(cells))
  }
}

function printRow(cells: string[], style: 'dim' | 'reset' = 'reset'): void {
  const line = cells.map((cell) => cell.padEnd(WIDTH)).join('')
  console.log(`    ${styleText(style, line.trimEnd())}`)
}

function summary(message: Message): string {
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
