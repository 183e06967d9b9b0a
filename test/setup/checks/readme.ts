import { readFileSync } from 'node:fs'

const README = new URL('../../../README.md', import.meta.url)

/** A fenced block as it stands. */
interface Block {
  readonly language: string
  readonly text: string
}

/** The fenced blocks under a heading of the README, in order. */
export function readmeBlocks(heading: string): Block[] {
  const sections = readFileSync(README, 'utf8').split(/^(?=##+ )/m)
  const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }))
}
