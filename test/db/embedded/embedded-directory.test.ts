import { execFile, spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { findBinaries } from '../../../src/db/embedded/embedded-binaries.ts'
import { findAccount, makeLauncher } from '../../../src/db/embedded/embedded-launcher.ts'
import { ask, embeddedWorkshop } from '../../setup/postgres/embedded.ts'
import { canMount } from '../../setup/processes/mounts.ts'

const workshop = embeddedWorkshop()
const isRoot = process.getuid?.() === 0
const run = promisify(execFile)

const socketDirectory = (url: string) => new URL(url).searchParams.get('host')!

describe('embedded data directory', () => {
  afterEach(() => workshop.clean())

  test('one that is a file is refused in a sentence that names it', async () => {
    const file = join(await workshop.directory(), 'data')
    await writeFile(file, '')
    await expect(workshop.open(file)).rejects.toThrow(`The data directory ${file} cannot be used: it is a file`)
    await expect(workshop.open(join(file, 'below'))).rejects.toThrow('a part of its path, is a file')
  })

  test('one that cannot be written is refused in a sentence that names it', async () => {
    const closed = isRoot ? '/sys' : await workshop.directory()
    if (!isRoot) await chmod(closed, 0o500)
    const dataDir = join(closed, 'data')
    await expect(workshop.open(dataDir)).rejects.toThrow(
      new RegExp(
        `^The data directory ${dataDir} cannot be used: (this user may not write there|the file system is read-only)\\.$`,
      ),
    )
  })

  test.skipIf(!canMount())('one on a full disk is refused with that reason', async () => {
    const dataDir = await workshop.directory()
    const script = `mount -t tmpfs -o size=8M,mode=755 none "$1" && DATA_DIR="$1/data" exec "$2" bin/sonant.js accounts list`
    const { status, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', dataDir, process.execPath])
    expect([status, String(stderr)]).toEqual([
      1,
      expect.stringMatching(/^The database under \S+ could not be made: .*No space left on device\.\n$/),
    ])
  })

  test('one of another PostgreSQL, or with something else in it, is refused and left alone', async () => {
    const old = await workshop.directory()
    await mkdir(join(old, 'postgres'))
    await writeFile(join(old, 'postgres', 'PG_VERSION'), '17\n')
    await expect(workshop.open(old)).rejects.toThrow('it belongs to PostgreSQL 17, and this is PostgreSQL 18')
    const strange = await workshop.directory()
    await mkdir(join(strange, 'postgres'))
    await writeFile(join(strange, 'postgres', 'letter.txt'), '')
    await expect(workshop.open(strange)).rejects.toThrow('it holds files that are not a PostgreSQL database')
    const blocked = await workshop.directory()
    await writeFile(join(blocked, 'postgres'), '')
    await expect(workshop.open(blocked)).rejects.toThrow('it is a file')
  })

  test('one whose files are broken fails with what PostgreSQL says, and not by waiting', async () => {
    const dataDir = await workshop.directory()
    await (await workshop.open(dataDir)).close()
    await rm(join(dataDir, 'postgres', 'global', 'pg_control'))
    await expect(workshop.open(dataDir)).rejects.toThrow(
      `The database in ${join(dataDir, 'postgres')} does not start: `,
    )
  })

  test('one below directories that are closed to every other user works, and works again', async () => {
    const grandparent = await workshop.directory()
    const dataDir = join(grandparent, 'closed', 'data')
    await mkdir(join(grandparent, 'closed'), { mode: 0o700 })
    await chmod(grandparent, 0o700)
    await (await workshop.open(dataDir)).close()
    const again = await workshop.open(dataDir)
    expect(await ask(again, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('one whose path is too long for a socket gets a socket under /tmp, the same for all', async () => {
    const dataDir = join(await workshop.directory(), 'long'.repeat(30), 'data')
    const first = await workshop.open(dataDir)
    const second = await workshop.open(dataDir)
    expect(socketDirectory(first.url)).toMatch(/^\/tmp\/sonant-[0-9a-f]{16}$/)
    expect(second.url).toBe(first.url)
    expect(await ask(second, 'select 1 as one')).toEqual([{ one: 1 }])
    await first.close()
    await second.close()
    await rm(socketDirectory(first.url), { recursive: true })
  })

  test('a socket directory that somebody else laid out under /tmp is refused', async () => {
    const dataDir = join(await workshop.directory(), 'long'.repeat(30), 'data')
    const embedded = await workshop.open(dataDir)
    const sockets = socketDirectory(embedded.url)
    await embedded.close()
    const elsewhere = join(await workshop.directory(), 'trap')
    await rename(sockets, elsewhere)
    await symlink(elsewhere, sockets)
    try {
      await expect(workshop.open(dataDir)).rejects.toThrow(`${sockets} cannot be used`)
    } finally {
      await rm(sockets)
    }
  })

  test.runIf(isRoot && process.platform === 'linux')(
    'root runs binaries that only root may reach as another user',
    async () => {
      const closed = await workshop.directory()
      const { postgres } = await findBinaries()
      await cp(dirname(dirname(postgres)), join(closed, 'native'), { recursive: true, verbatimSymlinks: true })
      const program = join(closed, 'native', 'bin', 'postgres')
      const root = await workshop.directory()
      const account = await findAccount(join(root, 'postgres'))
      expect(account.uid).toBeGreaterThan(0)
      for (const bits of ['a+rX', 'go-rwx']) {
        await run('chmod', ['-R', bits, join(closed, 'native')])
        await chmod(closed, 0o700)
        const { command, args, options } = (await makeLauncher(account, program, root))(program, [
          '-C',
          'max_connections',
          '-D',
          root,
        ])
        // It finds itself, its libraries and its share directory, and then that there is no database.
        await expect(run(command, [...args], options)).rejects.toThrow(`"${root}/postgresql.conf"`)
      }
    },
  )
})
