import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { endMarked } from './end-marked.ts'
import { identityOf, isRunning } from './process-marks.ts'

const FORM = /^[0-9a-f-]{36}\.json$/

const record = z.object({
  host: z.string(),
  /** Tells one start of the machine from the next. */
  boot: z.string(),
  worker: z.object({ pid: z.int(), startedAt: z.string().nullable() }),
  /** What started the server; null until it runs. Its group is the server's where the system has no /proc. */
  server: z.object({ pid: z.int(), startedAt: z.string().nullable() }).nullable(),
})
type ServerRecord = z.output<typeof record>

/** What a worker notes of its server before it starts it, so that the next start finds the server of a worker that was killed. */
export class ServerRecords {
  readonly #directory: string

  /** @param directory made where it is missing */
  constructor(directory: string) {
    this.#directory = directory
  }

  /** Notes that this process owns what carries the mark. @param pid the server's; null: it is about to be started */
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

  /** Ends the servers on this machine whose workers are gone. Returns how many processes that were; those of living workers stay. */
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
    // The group only where its leader is the noted process itself: its number may be another one's by now.
    const isLeader = noted.server !== null && isRunning(noted.server)
    const group = isLeader && noted.server?.startedAt !== null ? noted.server?.pid : undefined
    const count = isSameBoot ? await endMarked({ mark, group }) : 0
    await this.remove(mark)
    return count
  }

  /** null: it is no record, or was removed meanwhile. */
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

/** Empty where the system has none. */
const bootId = async (): Promise<string> =>
  (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim()
