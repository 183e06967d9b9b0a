import { expect, test } from 'vitest'
import { toServiceError } from '../../src/errors/describe-error.ts'
import { StoreDown } from '../../src/errors/outages.ts'

const failing = (code: string) => Object.assign(new Error(`${code}: nothing was written`), { code, syscall: 'write' })

test.each<[string, Error]>([
  ['a bucket that is away', new StoreDown('S3 cannot be reached (ECONNREFUSED).')],
  ['a full disk', failing('ENOSPC')],
  ['a used-up quota', failing('EDQUOT')],
  ['a read-only file system', failing('EROFS')],
  ['too many open files', failing('EMFILE')],
])('%s is no violation and no mistake of the program: the same request may succeed later', (_what, error) => {
  const { status, code, message, retryAfterSeconds } = toServiceError(error)
  expect([status, code, message, retryAfterSeconds]).toEqual([503, 'UNAVAILABLE', 'Try again in a moment.', 1])
})

test.each(['ENOENT', 'EACCES'])('%s of a file is a mistake of the program or its installation', (code) => {
  expect(toServiceError(Object.assign(new Error(code), { code, syscall: 'open' })).code).toBe('INTERNAL_ERROR')
})
