import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { terminalLog } from '../../src/values/log.ts'
import { asOldNode } from '../setup/processes/old-node.ts'
import { cleanUp, makeTempDir } from '../setup/processes/process.ts'

const SONANT = fileURLToPath(new URL('../../bin/sonant.js', import.meta.url))

const start = (args: string[], cwd: string) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })

afterAll(cleanUp)

describe('sonant', () => {
  test('runs from another folder and through a link, as npx and a PATH have it', async () => {
    const directory = await makeTempDir()
    await mkdir(join(directory, 'bin'))
    await symlink(SONANT, join(directory, 'bin', 'sonant'))
    const { code, stdout } = await start([join('bin', 'sonant'), '--version'], directory)
    expect([code, stdout]).toEqual([0, `${manifest.version}\n`])
  })

  test.skipIf(!existsSync('/dev/full'))('says in one sentence that its standard output is full', () => {
    const line = `exec '${process.execPath}' '${SONANT}' --version > /dev/full`
    const { status, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, 'Standard output cannot be written (ENOSPC).\n'])
  })

  test('says in one sentence that an old Node.js does not do', async () => {
    const directory = await makeTempDir()
    const { code, stdout, stderr } = await start([await asOldNode(directory), SONANT, 'start'], directory)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Sonant needs Node\.js 24 or newer, and this is v20\.20\.2: .*\n$/)
  })
})

describe('the log on a terminal', () => {
  test('is short lines, with the level of what is more than information', () => {
    let written = ''
    const log = terminalLog({ write: (text) => (written += text) })
    const time = Date.UTC(2026, 0, 31, 9, 5)
    log.write(JSON.stringify({ level: 30, time, migrations: ['one', 'two'], msg: 'migrated the database' }))
    log.write(JSON.stringify({ level: 40, time, connection: 'notifier', msg: 'a database connection was lost' }))
    expect(written.split('\n')).toEqual([
      '09:05:00  migrated the database  migrations=2',
      '09:05:00  warn: a database connection was lost  connection=notifier',
      '',
    ])
  })
})
