import { createReadStream } from 'node:fs'
import { invalidRequest } from '../errors/service-error.ts'

/** Characters of a line: a text of the longest endpoint, escaped. */
const MAX_LINE = 2 ** 21

export interface BatchLine {
  /** From 1 on. */
  readonly number: number
  /** Null: the line is wrong. */
  readonly inputs: Record<string, unknown> | null
  readonly error: string
}

/**
 * Reads the lines of a file that are not empty, without the whole file in memory.
 * @throws INVALID_REQUEST if the file cannot be read
 */
export async function* readBatch(file: string): AsyncGenerator<BatchLine> {
  let number = 0
  for await (const text of linesOf(file)) {
    number += 1
    if (text.trim() !== '') yield parse(number, text)
  }
}

/** @throws INVALID_REQUEST if the file cannot be read */
export async function countLines(file: string): Promise<number> {
  let lines = 0
  for await (const text of linesOf(file)) if (text.trim() !== '') lines += 1
  return lines
}

function parse(number: number, text: string): BatchLine {
  if (text.length > MAX_LINE) return { number, inputs: null, error: `The line has more than ${MAX_LINE} characters.` }
  try {
    const inputs = JSON.parse(text) as unknown
    if (inputs !== null && typeof inputs === 'object' && !Array.isArray(inputs))
      return { number, inputs: inputs as Record<string, unknown>, error: '' }
  } catch {}
  return { number, inputs: null, error: 'The line is not a JSON object of inputs, such as {"text": "Hello!"}.' }
}

/** Only a line feed ends a line: readline would also cut at separators that JSON leaves as they are. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const stream = createReadStream(file, { encoding: 'utf8' })
  let rest = ''
  try {
    for await (const chunk of stream) {
      const lines = (rest + (chunk as string)).replace(/^\uFEFF/, '').split('\n')
      // A longer rest is refused anyway, so it need not be kept.
      rest = (lines.pop() as string).slice(0, MAX_LINE + 1)
      yield* lines
    }
  } catch (error) {
    throw invalidRequest(`The file "${file}" cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  if (rest !== '') yield rest
}
