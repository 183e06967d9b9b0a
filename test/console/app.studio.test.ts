import { describeConsole } from './journeys/describe-console.ts'
import { fromPlaygroundJourneys } from './journeys/studio/from-playground.ts'
import { studioJourneys } from './journeys/studio/studio.ts'

describeConsole('the studio in a browser', (opened) => {
  studioJourneys(opened)
  fromPlaygroundJourneys(opened)
})
