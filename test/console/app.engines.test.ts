import { describeConsole } from './journeys/describe-console.ts'
import { engineJourneys } from './journeys/operator/engines.ts'

describeConsole('the engines of the console in a browser', (opened) => {
  engineJourneys(opened)
})
