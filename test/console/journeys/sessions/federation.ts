import { expect, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { CLIENT, startProvider } from '../../../setup/servers/oidc-provider.ts'
import { startTestRuntime } from '../../../setup/service/runtime.ts'
import { type OpenedConsole, ownEmail } from '../opened-console.ts'

/** The provider's own page asks for a font of another server, which the browser does not reach. */
const FROM_PROVIDER = /ERR_NAME_NOT_RESOLVED/

/** The sign-in through an OpenID Connect provider. */
export function federationJourneys(opened: () => OpenedConsole): void {
  test('a person signs in at the provider, comes back to the wanted screen, and a stranger is told why they do not', async () => {
    const { browser, folder } = opened()
    const provider = await startProvider()
    const env = { OIDC_ISSUER: provider.issuer, ...CLIENT, OIDC_NAME: 'Acme' }
    const service = await startTestRuntime({ consoleFolder: folder, env })
    try {
      provider.serve(service.url)
      const email = ownEmail('federated')
      provider.people.set('ada', { email })
      provider.people.set('eve', { email: ownEmail('stranger') })
      const account = await service.createAccount()
      await createUser(service.runtime.as({ kind: 'system' }), { account, email, role: 'owner' })
      const enter = async (login: string, screen: string) => {
        const context = await browser.newContext()
        const { page } = await openPage(context, service.url, FROM_PROVIDER)
        await page.goto(`${service.url}/console/${screen}`)
        await page.getByRole('button', { name: 'Sign in with Acme' }).waitFor()
        expect(await flaws(page)).toEqual([])
        await page.getByRole('button', { name: 'Sign in with Acme' }).click()
        await page.locator('input[name=login]').fill(login)
        await page.locator('input[name=password]').fill('any')
        await page.locator('button[type=submit]').click()
        return page
      }
      const page = await enter('ada', 'people')
      await page.waitForURL(`${service.url}/console/people`)
      await page.getByText(email).first().waitFor()
      expect(await page.locator('.banner').count()).toBe(0)
      await page.goto(`${service.url}/console/profile`)
      await page.getByText('signs in through Acme').waitFor()
      expect([await page.getByLabel('New password').count(), await flaws(page)]).toEqual([0, []])
      const stranger = await enter('eve', 'jobs')
      await stranger.getByRole('alert').getByText('No account has invited you').waitFor()
      expect(await flaws(stranger)).toEqual([])
      await stranger.getByLabel('Password').waitFor()
    } finally {
      await service.close()
      await provider.close()
    }
  })
}
