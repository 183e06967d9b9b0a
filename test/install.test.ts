import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))

interface LockedPackage {
  readonly name?: string
  readonly dev?: boolean
}
const locked = Object.entries(read('package-lock.json').packages as Record<string, LockedPackage>)

describe('npm ci --omit=dev', () => {
  // Optional peers of installed packages: npm installs those that the lock holds under their own names.
  test.each(['prisma', 'typescript'])('does not install %s', (name) => {
    const kept = locked.filter(
      ([path, entry]) => (entry.name ?? path.split('node_modules/').at(-1)) === name && entry.dev !== true,
    )
    expect(kept.map(([path]) => path)).toEqual([])
  })

  test('finds the versions of Prisma that fit each other', () => {
    const { dependencies, devDependencies } = read('package.json')
    expect(devDependencies['prisma-cli']).toBe(`npm:prisma@${dependencies['@prisma/client']}`)
  })
})
