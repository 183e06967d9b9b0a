import { at } from '../api/base.ts'
import { Empty } from '../parts/empty.tsx'
import { Page } from '../parts/page.tsx'
import { serviceCommand } from '../parts/service-command.ts'

/** In place of a screen that the service would refuse this user: its address may come from another one. */
const closedPage = (title: string, advice: string) => () => (
  <Page title={title}>
    <Empty
      title="You cannot open this page"
      action={
        <a class="button" href={at('/')}>
          To the overview
        </a>
      }
    >
      {advice}
    </Empty>
  </Page>
)

export const OwnersPage = closedPage('For owners', 'It is for owners of the account: ask one for what you need here.')
export const OperatorsPage = closedPage(
  'For operators',
  `It is for operators of this service. On the machine that runs it, ${serviceCommand('users set-operator')} makes you one.`,
)
