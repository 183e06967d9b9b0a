import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { endMarked, identityOf, isRunning } from './process-marks.ts'

const FORM = /^[0-9a-f-]{36}\.json$/

const record = z.object({
  host: z.string(),
  boot: z.string(),
  worker: z.object({ pid: z.int(), startedAt: z.string().nullable() }),
  server: z.object({ pid: z.int(), startedAt: z.string().nullable() }).nullable(),
})
type ServerRecord = z.output<typeof record>

/** Records on disk, written before a start, that let the next start find a killed worker's server. */
export class ServerRecords {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  async write(mark: string, pid: number | null): Promise<void> {
    const server = pid === null ? null : identityOf(pid)
    const noted: ServerRecord = { host: hostname(), boot: await bootId(), worker: identityOf(process.pid), server }
    await mkdir(this.#directory, { recursive: true })
    await writeFile(this.#path(`${mark}.tmp`), JSON.stringify(noted))
    await rename(this.#path(`${mark}.tmp`), this.#path(`${mark}.json`))
  }

  async remove(mark: string): Promise<void> {
    await rm(this.#path(`${mark}.json`), { force: true })
  }

  /** Ends servers whose workers are gone; returns the number of processes. */
  async endOrphans(): Promise<number> {
    const names = await readdir(this.#directory).catch(() => [])
    const marks = names.flatMap((name) => (FORM.test(name) ? [name.slice(0, -'.json'.length)] : []))
    const ended = await Promise.all(marks.map((mark) => this.#endOrphan(mark)))
    return ended.reduce((sum, count) => sum + count, 0)
  }

  async #endOrphan(mark: string): Promise<number> {
    const noted = await this.#read(mark)
    if (noted === null || noted.host !== hostname()) return 0
    const isSameBoot = noted.boot === (await bootId())
    if (isSameBoot && isRunning(noted.worker)) return 0
    // The group's number may be reused, so its leader must be the recorded process.
    const isLeader = noted.server !== null && isRunning(noted.server)
    const group = isLeader && noted.server?.startedAt !== null ? noted.server?.pid : undefined
    const count = isSameBoot ? await endMarked({ mark, group }) : 0
    await this.remove(mark)
    return count
  }

  async #read(mark: string): Promise<ServerRecord | null> {
    try {
      return record.parse(JSON.parse(await readFile(this.#path(`${mark}.json`), 'utf8')))
    } catch {
      return null
    }
  }

  #path(name: string): string {
    return join(this.#directory, name)
  }
}

const bootId = async (): Promise<string> =>
  (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim()
