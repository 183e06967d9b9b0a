import { expect, test } from 'vitest'
import { createShortcuts, type Pressed } from '../../../src/console/shell/shortcuts.ts'

const plain = { ctrlKey: false, metaKey: false, altKey: false, isTyping: false }

const open = () => {
  const done: string[] = []
  let time = 0
  const actions = {
    go: (path: string) => done.push(path),
    showHelp: () => done.push('help'),
    search: () => done.push('search'),
  }
  const press = createShortcuts({ j: '/jobs' }, actions, () => time)
  return {
    done,
    wait: (ms: number) => (time += ms),
    press: (key: string, more: Partial<Pressed> = {}) => press({ key, ...plain, ...more }),
  }
}

test('g and a letter lead to a place, within a moment', () => {
  const { done, press, wait } = open()
  press('g')
  press('j')
  press('g')
  wait(2000)
  press('j')
  press('?')
  press('/')
  expect(done).toEqual(['/jobs', 'help', 'search'])
})

test('letters in a field, and with any modifier held, are left to the browser', () => {
  const { done, press } = open()
  const taken = [
    press('?', { isTyping: true }),
    press('/', { ctrlKey: true }),
    press('?', { metaKey: true }),
    press('/', { altKey: true }),
  ]
  expect([taken, done]).toEqual([[false, false, false, false], []])
})
