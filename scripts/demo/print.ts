/** Prints the steps, requests and facts of the long demo. */
import { styleText } from 'node:util'

let steps = 0

/** Prints the heading of a step. */
export function printStep(title: string): void {
  steps += 1
  console.log(`\n${styleText('bold', `${String(steps).padStart(2)}. ${title}`)}`)
}

/** Prints a request and its outcome. Hides the signature of a signed URL, because it grants access. */
export function printRequest(method: string, target: string, outcome: string): void {
  const shown = target.replace(/\?.*X-Amz-Signature=.*$/, '?(signature)')
  const colour = /^[123]/.test(outcome) ? 'green' : 'yellow'
  console.log(`    ${styleText('cyan', method)} ${shown} → ${styleText(colour, outcome)}`)
}

/** Prints a fact about an answer. */
export function printFact(name: string, value: string): void {
  console.log(`    ${styleText('dim', name.padEnd(12))} ${value}`)
}

export function bytes(count: number): string {
  return `${count.toLocaleString('en')} bytes`
}

export function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB')
}
