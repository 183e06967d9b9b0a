import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, inject } from 'vitest'
import { buildConsole } from '../../../packaging/build-console.ts'
import { createUser } from '../../../src/users/create-user.ts'
import { setOperator } from '../../../src/users/update-user.ts'
import { hasBrowser, openPage, openShell } from '../../setup/browser.ts'
import { startTestRuntime, type TestRuntimeOptions } from '../../setup/service/runtime.ts'
import { PASSWORD } from '../../setup/service/users.ts'
import { until } from '../../setup/wait.ts'
import { type OpenedConsole, signIn } from './opened-console.ts'

const BUILD_DEADLINE_MS = 90_000

interface RestedConsole extends OpenedConsole {
  /** A page of the owner's without a script. It stays open between journeys, and with it the browser's process for the console. */
  readonly resting: Page
}

/** Journeys through a console, one after the other, with a service, a browser and an account of their own. */
export function describeConsole(
  title: string,
  journeys: (opened: () => OpenedConsole) => void,
  options: TestRuntimeOptions = {},
): void {
  describe.skipIf(!hasBrowser())(title, () => {
    // The stack closes only the opened parts, so that a failed opening shows its own error.
    const open = new AsyncDisposableStack()
    let opened: RestedConsole
    beforeAll(async () => {
      opened = await openConsole(open, options)
    })
    afterEach(() => closePages(opened))
    afterAll(() => open.disposeAsync())
    journeys(() => opened)
  })
}

/**
 * Pages that a failed attempt left open would go on asking and changing things. The next journey's playground must restore no take and no text
 * of another one.
 */
async function closePages({ browser, owner, service, resting }: RestedConsole): Promise<void> {
  for (const context of browser.contexts()) if (context !== owner) await context.close()
  for (const page of owner.pages()) if (page !== resting) await page.close()
  await owner.clearPermissions()
  await resting.evaluate("for (const name of ['sonant-draft', 'sonant-takes']) localStorage.removeItem(name)")
  await service.runtime.db.pool.query('update job set user_id = null where user_id is not null')
}

/** The console is built once in a run, by the file that begins first: a build takes more of the processor than a journey. */
export async function copyConsole(folder: string): Promise<void> {
  const built = join(inject('shared'), 'console')
  const isFirst = await mkdir(`${built}-begun`).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    await buildConsole(`${built}-made`, true)
    await rename(`${built}-made`, built)
  }
  await until(() => existsSync(built), BUILD_DEADLINE_MS, 'the console to be built')
  await cp(built, folder, { recursive: true })
}

/** @param open takes what is to be closed, the last first */
async function openConsole(open: AsyncDisposableStack, options: TestRuntimeOptions): Promise<RestedConsole> {
  const folder = await mkdtemp(join(tmpdir(), 'sonant-console-'))
  open.defer(() => rm(folder, { recursive: true, force: true }))
  await copyConsole(folder)
  const service = await startTestRuntime({ worker: true, consoleFolder: folder, ...options })
  open.defer(() => service.close())
  const at = (path: string): string => `${service.url}/console${path === '' ? '' : `/${path}`}`
  const system = service.runtime.as({ kind: 'system' })
  const account = await service.createAccount()
  // It stands in the picture of the README.
  await service.runtime.db.pool.query("update account set name = 'Lighthouse Audio' where id = $1", [account])
  for (const role of ['owner', 'member'] as const)
    await createUser(system, { account, email: `${role}@example.com`, password: PASSWORD, role })
  await setOperator(system, { user: 'owner@example.com', operator: true })
  const browser = await openShell()
  open.defer(() => browser.close())
  const owner = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' })
  const { page } = await openPage(owner, service.url)
  await page.goto(at('playground'))
  await signIn(page, 'owner@example.com')
  await page.close()
  const resting = await owner.newPage()
  await resting.goto(`${service.url}/health/live`)
  return { service, browser, account, owner, at, folder, resting }
}
