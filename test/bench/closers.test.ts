import { expect, test } from 'vitest'
import { openClosers } from '../../bench/closers.ts'

test('what was opened last is closed first, and each once', async () => {
  const closers = openClosers()
  const closed: string[] = []
  closers.add(async () => closed.push('first'))
  await closers.open(
    async () => 'second',
    async (opened) => closed.push(opened),
  )
  await closers.close()
  await closers.close()
  expect(closed).toEqual(['second', 'first'])
})

test('one that fails to close keeps no other one open, and all failures are named', async () => {
  const closers = openClosers()
  const closed: string[] = []
  closers.add(async () => closed.push('oldest'))
  closers.add(() => Promise.reject(new Error('the port is held')))
  closers.add(() => {
    throw new Error('the file is gone')
  })
  await expect(closers.close()).rejects.toThrow('the file is gone; the port is held')
  expect(closed).toEqual(['oldest'])
})

test('what is still opening when all is closed is closed as well', async () => {
  const closers = openClosers()
  const opening = Promise.withResolvers<string>()
  const closed: string[] = []
  const opened = closers.open(
    () => opening.promise,
    async (what) => closed.push(what),
  )
  const closing = closers.close()
  opening.resolve('late')
  await Promise.all([opened, closing])
  expect(closed).toEqual(['late'])
})

test('nothing opens once all is closed', async () => {
  const closers = openClosers()
  await closers.close()
  let begun = false
  const begin = async () => {
    begun = true
  }
  await expect(closers.open(begin, async () => undefined)).rejects.toThrow('closed')
  expect(() => closers.add(begin)).toThrow('closed')
  expect(begun).toBe(false)
})

test('one that does not end keeps no other one open', async () => {
  const closers = openClosers(1)
  const closed: string[] = []
  closers.add(async () => closed.push('oldest'))
  closers.add(() => new Promise(() => undefined))
  await expect(closers.close()).rejects.toThrow('something is still open')
  expect(closed).toEqual(['oldest'])
})
