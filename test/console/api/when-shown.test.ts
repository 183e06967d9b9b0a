import { afterEach, expect, test, vi } from 'vitest'
import { whenShown } from '../../../src/console/api/when-shown.ts'

afterEach(() => vi.unstubAllGlobals())

function tab(isHidden: boolean) {
  const page = Object.assign(new EventTarget(), { hidden: isHidden })
  vi.stubGlobal('document', page)
  const calls: number[] = []
  const show = (hidden: boolean): void => {
    page.hidden = hidden
    page.dispatchEvent(new Event('visibilitychange'))
  }
  return { calls, show, stop: whenShown(() => calls.push(1)) }
}

test('a tab that is looked at is called at once, and not again', () => {
  const { calls, show } = tab(false)
  show(true)
  show(false)
  expect(calls).toHaveLength(1)
})

test('a hidden tab is called once, when it is looked at, unless that is waited for no more', () => {
  const { calls, show } = tab(true)
  show(true)
  expect(calls).toHaveLength(0)
  show(false)
  show(true)
  show(false)
  expect(calls).toHaveLength(1)
  const ended = tab(true)
  ended.stop()
  ended.show(false)
  expect(ended.calls).toHaveLength(0)
})
