import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A fenced block as it stands. */
export interface Block {
  readonly language: string
  readonly text: string
}

/** The fenced blocks of a document, in order. @param file its path from the root */
export function blocksOf(file: string): Block[] {
  const fences = readFileSync(`${ROOT}${file}`, 'utf8').matchAll(/^```(\S*)\n(.*?)^```$/gms)
  return [...fences].map(([, language = '', text = '']) => ({ language, text }))
}
