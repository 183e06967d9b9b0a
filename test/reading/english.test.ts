import { describeReadings } from './readings.ts'

describeReadings('English', {
  cardinal: `
    Two 747s and an F-16 flew, then two more 747s. | Two seven forty sevens and an F-sixteen flew, then two more seven forty sevens.
    It sold 2.5m copies to 3bn people on a 3m bench. | It sold two point five million copies to three billion people on a three meters bench.
    Call 911 from Route 112. | Call nine one one from Route one hundred twelve.
    Its area code is 415. | Its area code is four one five.
    Its area code 212 is known. | Its area code two one two is known.
    By rule 8(a) he won. | By rule eight (a) he won.
    She has 21 books and 1,250 coins. | She has twenty one books and one thousand two hundred fifty coins.
    The town has 1,250,300 people. | The town has one million two hundred fifty thousand three hundred people.
    There were 1001 nights. | There were one thousand one nights.
    About 987 people live there. | About nine hundred eighty seven people live there.
  `,
  ordinal: `
    The 18th–19th centuries passed. | The eighteenth to nineteenth centuries passed.
    It is her 21st birthday on the 3rd floor. | It is her twenty first birthday on the third floor.
    He came 2nd in the 100th race. | He came second in the one hundredth race.
    Her 7th book is out. | Her seventh book is out.
  `,
  decimal: `
    The index rose 0.75 points. | The index rose zero point seven five points.
    Pi is 3.14159. | Pi is three point one four one five nine.
  `,
  fraction: `
    Add 1/2 cup of milk and 3/4 of the flour. | Add one half cup of milk and three quarters of the flour.
    About 2/3 of voters agreed. | About two thirds of voters agreed.
    Pour 1 1/2 cups. | Pour one and a half cups.
    He ate 3/4 of it. | He ate three quarters of it.
    The 70/30 rule. | The seventy thirty rule.
    A waltz in 3/4 time at odds of 9/2, and 1⁄3 of it. | A waltz in three four time at odds of nine to two, and one third of it.
  `,
  money: `
    The ticket costs $15.50. | The ticket costs fifteen dollars fifty cents.
    He owes £1 and €21. | He owes one pound and twenty one euros.
    It cost $2.4 billion. | It cost two point four billion dollars.
    A fee of 99¢. | A fee of ninety nine cents.
    The rent is €850. | The rent is eight hundred fifty euros.
    It is worth $1. | It is worth one dollar.
  `,
  measure: `
    Route 9W and a 9 W lamp. | Route nine W and a nine watts lamp.
    He weighed 12st 7lb. | He weighed twelve stone seven pounds.
    A field of 105 m x 68 m. | A field of one hundred five meters by sixty eight meters.
    A tile of 30 × 60, 3× as thick, and 6 × 7 = 42. | A tile of thirty by sixty, three times as thick, and six times seven equals forty two.
    It uses 6 L/100 km; he has 135/85 mmHg. | It uses six liters per hundred kilometers; he has one hundred thirty five over eighty five millimeters of mercury.
    A 4 ft 11 in girl walks 3π m. | A four feet eleven inches girl walks three pi m.
    It holds 8 cubic ft. of ice. | It holds eight cubic feet of ice.
    A beam of 5 MeV. | A beam of five megaelectron volts.
    He drove at 60 mph. | He drove at sixty miles per hour.
    She is 175 cm tall and weighs 61 kg. | She is one hundred seventy five centimeters tall and weighs sixty one kilograms.
    The room is 24 m². | The room is twenty four square meters.
    It is -4 °C. | It is minus four degrees Celsius.
    Use 250 ml and 1 l. | Use two hundred fifty milliliters and one liter.
    Sales fell 8%. | Sales fell eight percent.
    The bag weighs 25 kg. | The bag weighs twenty five kilograms.
    A 90 km/h wind blew. | A ninety kilometers per hour wind blew.
    Buy 3 m of cloth. | Buy three meters of cloth.
  `,
  date: `
    They met on 5 May. Then it rained. | They met on the fifth of May. Then it rained.
    He played there in 2001-05 and in 2000–01. | He played there in two thousand one to oh five and in two thousand to oh one.
    In the 800s and the 1900s. | In the eight hundreds and the nineteen hundreds.
    Jan–Mar is cold, Mon–Fri too. | January to March is cold, Monday to Friday too.
    In FY2009 it fell. | In F Y two thousand nine it fell.
    She was born on April 3, 1999. | She was born on April third nineteen ninety nine.
    The visit is on 11/07/2025. | The visit is on November seventh twenty twenty five.
    On May 5 we met. | On May fifth we met.
    Published 2023-10-05. | Published the fifth of October twenty twenty three.
    In 44 BC and AD 70. | In forty four B C and A D seventy.
    The 1988/9 and 1992–3 seasons. | The nineteen eighty eight nine and nineteen ninety two to three seasons.
    In the 1980s and in 2008. | In the nineteen eighties and in two thousand eight.
    The 4th of July 1776. | The fourth of July seventeen seventy six.
    Today is May 3rd. | Today is May third.
    It snowed on December 24, 2020. | It snowed on December twenty fourth twenty twenty.
    On the night of 2/3 June 1953, and in the Q3 2021 reports. | On the night of the second to the third of June nineteen fifty three, and in the Q three twenty twenty one reports.
    They met in Sept. 2001. | They met in September two thousand one.
  `,
  time: `
    She ran 2:08:33.5 on Sunday. | She ran two hours eight minutes and thirty three point five seconds on Sunday.
    The track (45:30) is long. | The track (forty five thirty) is long.
    The clock shows UTC−05:00. | The clock shows U T C minus five.
    Dinner is at 9:15 pm. | Dinner is at nine fifteen PM.
    The train leaves at 6:30. | The train leaves at six thirty.
    Open from 9:00 to 14:00. | Open from nine o'clock to fourteen o'clock.
    The film starts at 8 p.m. | The film starts at eight PM.
  `,
  telephone: `
    Call 555-123-4567. | Call five five five, one two three, four five six seven.
    Ring 555-0143 or write to 62704-8317; it is 400-1200 people. | Ring five five five, zero one four three or write to six two seven zero four, eight three one seven; it is four hundred to one thousand two hundred people.
    My number is +1 212-555-0199. | My number is plus one, two one two, five five five, zero one nine nine.
  `,
  range: `
    The ratio is 2.5:1; see pp. 123–45. | The ratio is two point five to one; see pages one hundred twenty three to forty five.
    It got 4.5/5. | It got four point five out of five.
    Read pages 12-18. | Read pages twelve to eighteen.
    The war of 1914-1918. | The war of nineteen fourteen to nineteen eighteen.
    Bake 20-25 minutes. | Bake twenty to twenty five minutes.
  `,
  roman: `
    Ramiro II of Aragon met Duke Ernest III. | Ramiro the second of Aragon met Duke Ernest the third.
    The IV Corps of the XXth century. | The fourth Corps of the twentieth century.
    Charles I was here, but when he saw James I was ill. | Charles the first was here, but when he saw James I was ill.
    Walter B. Hill III saw the XX Winter Olympics and Rambo III. | Walter B Hill the third saw the twentieth Winter Olympics and Rambo three.
    See p. xiv of act iii. | See page fourteen of act three.
    Parts I, II and III. | Parts one, two and three.
    Henry D. Ford II left. | Henry D Ford the second left.
    Chapter IV begins. | Chapter four begins.
    King Henry VIII and Queen Elizabeth II. | King Henry the eighth and Queen Elizabeth the second.
    World War II ended. | World War two ended.
  `,
  score: `
    They played a 4–2–3–1. | They played a four-two-three-one.
    The odds were 100-1. | The odds were one hundred to one.
    They won 4-2. | They won four to two.
  `,
  electronic: `
    Write to lisa@gmail.com. | Write to lisa at gmail dot com.
    See www.example.com/help. | See WWW dot example dot com slash help.
    Follow @eva_k and #Holidays | Follow at eva underscore k and hash Holidays
  `,
  serial: `
    ISSN 0317-8471, OCLC 20458713 | I S S N zero three one seven, eight four seven one, O C L C two zero four five eight seven one three
    Read Genesis 1:1-3 and Rom. 8:28. | Read Genesis one one to three and Rom. eight twenty eight.
    The 737-800 landed. | The seven thirty seven eight hundred landed.
    It has a 4K screen. | It has a four K screen.
    The A380 has landed. | The A three hundred eighty has landed.
    The UAV-7 and the EMB145 flew. | The U A V-seven and the E M B one hundred forty five flew.
    COVID-19 spread. | COVID-nineteen spread.
  `,
  math: `
    5 + 3 = 8 | five plus three equals eight
    x² ≤ 10 | x squared is less than or equal to ten
    CO₂ in the air | C O two in the air
  `,
  abbreviation: `
    No. I say no. | No. I say no.
    The No 7 shirt and the no 1 hit. | The Number seven shirt and the number one hit.
    Smith Ltd and Jones Inc, both new. | Smith Limited and Jones Incorporated, both new.
    Mr. & Mrs. Hill | Mister and Missus Hill
    Dr. Webb and Prof. Kane live on Elm St. | Doctor Webb and Professor Kane live on Elm Street.
    St. James St. is near Mt. Rose. | Saint James Street is near Mount Rose.
    B. subtilis, in a song (feat. Kay) for the Rt. Hon. Day. | B subtilis, in a song (featuring Kay) for the Right Honorable Day.
    W. 9th St. in the 2nd ed. of it. | West ninth Street in the second edition of it.
    E.g. this, i.e. Day & Co. of S. Korea. | For example this, that is Day and Company of South Korea.
    Plums and T. S. Hill. He met T. S. Hill and J. B. Day. | Plums and T S Hill. He met T S Hill and J B Day.
    She lives in the U.S. Now she works. | She lives in the U S. Now she works.
    Apples, pears, etc. | Apples, pears, et cetera.
    Mr. Lee and Mrs. Ray came. | Mister Lee and Missus Ray came.
    No. 5 is mine. | Number five is mine.
    It is approx. 5 km away. | It is approximately five kilometers away.
    J. K. Rowling wrote it. | J K Rowling wrote it.
  `,
  acronym: `
    Her MSc and his BSc. | Her M S C and his B S C.
    UNHCR, CSIRO and UNICEF met AT&T about DNA/RNA. | U N H C R, C S I R O and UNICEF met A T and T about D N A/R N A.
    BP plc at 9:00 UTC | B P P L C at nine o'clock U T C
    NATO, the UN and the FBI. | NATO, the U N and the F B I.
  `,
  symbol: `
    <b>12 mice</b>1 | <b> twelve mice</b> one
    Webb & Sons © 2020 | Webb and Sons copyright twenty twenty
    R&D costs | R and D costs
    He said 50% + 5%. | He said fifty percent plus five percent.
  `,
})
