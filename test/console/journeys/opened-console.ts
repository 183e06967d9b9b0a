import type { Browser, BrowserContext, Page } from 'playwright-core'
import { newId } from '../../../src/values/id.ts'
import type { TestRuntime } from '../../setup/service/runtime.ts'
import { PASSWORD } from '../../setup/service/users.ts'

/** The service and the browser that the journeys of one file share. */
export interface OpenedConsole {
  readonly service: TestRuntime
  readonly browser: Browser
  readonly account: string
  /** The folder of the built files. */
  readonly folder: string
  /** Signed in as the owner, an operator as well. */
  readonly owner: BrowserContext
  /** The address of a screen. */
  readonly at: (path: string) => string
}

/**
 * Reads with `look` after the page's clock, which the caller has installed, has run ahead by a second. With `expect.poll` no journey waits for
 * periodic work of the page.
 */
export const ahead =
  <Found>(page: Page, look: () => Promise<Found>) =>
  async (): Promise<Found> => {
    await page.clock.runFor(1000)
    return look()
  }

/**
 * A name, key or first half of an address that no other attempt gives to anything: a journey that is tried again makes what it needs again,
 * next to what the attempt before has left.
 */
export const ownName = (name: string): string => `${name}_${newId('key').slice(-6)}`

/** The same as an e-mail address. */
export const ownEmail = (name: string): string => `${ownName(name)}@example.com`

/** Fills in the sign-in page that is open. Tabs behind another one draw once a second, and a press waits for two drawings. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.bringToFront()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/**
 * Before the page is opened, which has an unfinished job to show: until its list is followed. The socket is live some time before that.
 */
export const whenFollowed = (page: Page): Promise<void> =>
  new Promise((resolve) => {
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('"jobChanges"')) resolve()
      }),
    )
  })

/** A delivery of a job's result that waits for its second attempt: its id, the account's and the job's. */
export const ADD_DELIVERY = `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, attempt, next_attempt_at, created_at)
  values ($1, $2, 'job', $3, 'https://hooks.example.com/sonant', 0, '', 1, now() + interval '1 hour', now())`

/** Goes on with a page over which the password is asked for. */
export async function signInAgain(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('Password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** The time of a user's sessions is over. Their sockets close within a second. */
export const expireSessions = ({ service }: OpenedConsole, email: string) =>
  service.runtime.db.pool.query(
    `update session set expires_at = now() - interval '1 second' from "user" u where u.id = user_id and u.email = $1`,
    [email],
  )

/** Ends the sessions of a user as the service does it, which closes their sockets. */
export const endSessions = async ({ service, browser }: OpenedConsole, email: string): Promise<void> => {
  const context = await browser.newContext()
  const ask = (query: string, variables: object) =>
    context.request.post(`${service.url}/graphql`, { headers: { origin: service.url }, data: { query, variables } })
  await ask(
    'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { __typename } }',
    {
      email,
      password: PASSWORD,
    },
  )
  await ask('mutation { signOut(everywhere: true) { __typename } }', {})
  await context.close()
}
