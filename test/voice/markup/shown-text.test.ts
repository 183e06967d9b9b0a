import { expect, test } from 'vitest'
import { shownText } from '../../../src/voice/timing/job-timing.ts'

const shown = (text: string): string =>
  (shownText(text) ?? []).map(({ start, end, shown }) => shown ?? text.slice(start, end)).join('')

test.each([
  ['<speak>One &amp; two</speak>', 'One & two'],
  ['<speak>The <sub alias="World Wide Web">WWW</sub></speak>', 'The WWW'],
  ['<speak>The <sub alias="World Wide Web"/></speak>', 'The World Wide Web'],
  ['<speak>The <sub alias="World Wide Web"></sub></speak>', 'The World Wide Web'],
  ['<speak>The <sub alias="World Wide Web"> </sub>is</speak>', 'The  World Wide Web is'],
  [
    '<speak>The <sub alias="Web"><s> <sub alias="x"/></s></sub><sub alias="W">WWW<sub alias="x"/></sub></speak>',
    'The  Web WWW',
  ],
  ['<speak>The <sub alias="W">W<sub alias="x">W</sub>W</sub> and <sub alias="so"/></speak>', 'The WWW and so'],
])('of %s is shown: %s', (text, expected) => {
  expect(shown(text)).toBe(expected)
})
