import { at } from '../api/base.ts'
import { Empty } from '../parts/empty.tsx'
import { Page } from '../parts/page.tsx'
import { showPalette } from './palette/palette.ts'

export const MissingPage = () => (
  <Page title="Not found">
    <Empty
      title="There is no such page"
      action={
        <>
          <button type="button" class="button" onClick={showPalette}>
            Search
          </button>
          <a class="button" href={at('/')}>
            To the overview
          </a>
        </>
      }
    >
      The address may be mistyped, or what it named is gone.
    </Empty>
  </Page>
)
