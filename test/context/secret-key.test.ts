import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSecretKey } from '../../src/context/secret-key.ts'

const GIVEN = 'given by the operator, and long enough'
let dir = ''
const file = () => join(dir, 'secret.key')

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sonant-key-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('the secret key', () => {
  test('is made once, for its owner alone, and is the same at every start', () => {
    const made = loadSecretKey(null, dir)
    expect(Buffer.from(made, 'base64')).toHaveLength(32)
    expect(loadSecretKey(null, dir)).toBe(made)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readdirSync(dir)).toEqual(['secret.key'])
  })

  test('that the operator gives needs no file', () => {
    expect(loadSecretKey(GIVEN, dir)).toBe(GIVEN)
    expect(readdirSync(dir)).toEqual([])
  })

  test.each([
    ['empty', ''],
    ['white space', ' \n'.repeat(40)],
    ['cut short', 'c2hvcnQ='],
  ])('in a file that is %s is refused with its path, and left as it is', (_title, content) => {
    writeFileSync(file(), content)
    expect(() => loadSecretKey(null, dir)).toThrow(`The secret key in ${file()} is damaged`)
    expect(readFileSync(file(), 'utf8')).toBe(content)
  })

  test('of a directory that is not there is refused with the place and the reason, in words', () => {
    const missing = join(dir, 'missing')
    expect(() => loadSecretKey(null, missing)).toThrow(
      `The data directory ${missing} cannot be used: it cannot be made there.`,
    )
  })
})
