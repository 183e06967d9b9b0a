import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { parentOf, runs } from '../../setup/processes/process-tree.ts'
import { endProcesses, startRole } from '../../setup/processes/processes.ts'
import { makeServerProgram, type ServerProgram } from '../../setup/servers/server-program.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000

describe('sonant work --server', { timeout: 240_000 }, () => {
  let service: TestRuntime
  let program: ServerProgram
  beforeAll(async () => {
    service = await startTestRuntime()
    program = await makeServerProgram()
    await applyEndpoint(service.runtime, 'own', { pool: 'gpu', base_url: 'worker', max_in_flight: 2 })
  })
  afterEach(endProcesses)
  afterAll(async () => {
    await program.remove()
    await service.close()
  })

  /** With a driver that knows two cards. */
  const startWorker = async () => {
    const bin = join(program.directory, 'bin')
    await mkdir(bin, { recursive: true })
    await writeFile(
      join(bin, 'nvidia-smi'),
      '#!/bin/sh\necho "0, NVIDIA L4, 23034, 18012, 40"\necho "1, NVIDIA T4, 15360, 1, 0"\n',
    )
    await chmod(join(bin, 'nvidia-smi'), 0o755)
    const file = join(program.directory, 'server.yaml')
    await writeFile(file, JSON.stringify({ command: program.spec.command, gpus: [1] }))
    return startRole(['work', '--pools', 'gpu', '--server', file], {
      DATABASE_URL: service.runtime.settings.databaseUrl ?? '',
      DATA_DIR: service.dataDir,
      SECRET_KEY: 'not for the server, which has no use for it',
      PATH: `${bin}:${process.env.PATH}`,
    })
  }
  const speaks = async () => {
    const { key } = await service.createCaller()
    await allFinished(service.runtime, [await submitText(service.url, key, 'own', 'Hello.')])
  }

  test('ends its server with itself, whatever ends it, and what a killed one left behind at its next start', async () => {
    const first = await startWorker()
    await speaks()
    const server = await program.started(1)
    expect(server).toMatchObject({ gpus: '1', secret: 'none' })
    const { gpus } = (await until(
      async () => (await service.runtime.db.prisma.worker.findMany()).find((worker) => String(worker.gpus) !== ''),
      TIMEOUT_MS,
      'the cards to be known',
    )) as { gpus: unknown }
    expect(gpus).toEqual([{ name: 'NVIDIA T4', memory_mib: 15_360, memory_used_mib: 1, load_percent: 0 }])
    const lines = /"msg":"the server is starting".*"msg":"the server is ready"/s
    await until(() => lines.test(first.stderr()), TIMEOUT_MS, 'the lines of the server')
    await first.stop('SIGKILL')
    await until(() => !runs(server.pid), TIMEOUT_MS, 'the server of the killed worker to end')

    const second = await startWorker()
    const orphan = await program.started(2)
    await speaks()
    // The test first kills the process that would end the server, while the worker cannot notice.
    second.signal('SIGSTOP')
    process.kill(parentOf(orphan.pid), 'SIGKILL')
    await second.stop('SIGKILL')
    expect(runs(orphan.pid)).toBe(true)

    const third = await startWorker()
    const last = await program.started(3)
    expect(runs(orphan.pid)).toBe(false)
    const line = '"msg":"the server of a worker that was killed was ended"'
    await until(() => third.stderr().includes(line), TIMEOUT_MS, 'the line of the orphan')
    await speaks()
    expect(await third.stop('SIGTERM')).toBe(0)
    expect(runs(last.pid)).toBe(false)
  })
})
