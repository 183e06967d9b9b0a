import { expect, test } from 'vitest'
import { withoutThoughts } from '../../src/companion/chat-completions.ts'

test.each([
  ['Nothing to remove: 1 < 2, <b>bold</b>, <thinker>.', 'Nothing to remove: 1 < 2, <b>bold</b>, <thinker>.'],
  ['<think>Hm.</think>Yes.', 'Yes.'],
  [' \n<THINK>\nHm.\n</Think>\nYes.', ' \n\nYes.'],
  ['<thinking type="deep">Hm.</thinking>Yes.<thinking>More.</thinking> No.', 'Yes. No.'],
  ['<think>One <think>two</think> three</think>Yes.', 'Yes.'],
  ['Yes.<think>It never ends', 'Yes.'],
  ['<think>It never ends', ''],
  ['It began before.</think>Yes.', 'Yes.'],
  ['An element ends with </thought> or </reasoning>.', 'An element ends with </thought> or </reasoning>.'],
  ['', ''],
])('of the reply %j a caller hears %j', (reply, heard) => {
  expect(withoutThoughts(reply)).toBe(heard)
})

test('a megabyte of tags takes no longer than other text', () => {
  for (const part of ['<think', '<think>', '</think>', '<think </think>'])
    expect(withoutThoughts(part.repeat(100_000)).length).toBeLessThanOrEqual(1_500_000)
})
