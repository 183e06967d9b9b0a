import { expect, test } from 'vitest'
import { shownText } from '../../../src/voice/markup/shown-text.ts'

const shown = (text: string): string =>
  (shownText(text) ?? []).map(({ start, end, shown }) => shown ?? text.slice(start, end)).join('')

test.each([
  ['<speak>One &amp; two</speak>', 'One & two'],
  ['<speak>The <sub alias="World Wide Web">WWW</sub></speak>', 'The WWW'],
  ['<speak>The <sub alias="World Wide Web"/></speak>', 'The World Wide Web'],
  ['<speak>The <sub alias="World Wide Web"></sub></speak>', 'The World Wide Web'],
])('of %s is shown: %s', (text, expected) => {
  expect(shown(text)).toBe(expected)
})
